// RUN: sparse-opt %s --sattn-cpu-transpose-by-shuffles | FileCheck %s

// Two steps: blocks of two elements change places, then single elements.
// CHECK-LABEL: func.func @four
// CHECK-SAME:    %[[A:.*]]: vector<4x4xf32>
// CHECK-DAG:     %[[R0:.*]] = vector.extract %[[A]][0]
// CHECK-DAG:     %[[R1:.*]] = vector.extract %[[A]][1]
// CHECK-DAG:     %[[R2:.*]] = vector.extract %[[A]][2]
// CHECK-DAG:     %[[R3:.*]] = vector.extract %[[A]][3]
// CHECK:         %[[S0:.*]] = vector.shuffle %[[R0]], %[[R2]] [0, 1, 4, 5]
// CHECK:         %[[S2:.*]] = vector.shuffle %[[R0]], %[[R2]] [2, 3, 6, 7]
// CHECK:         %[[S1:.*]] = vector.shuffle %[[R1]], %[[R3]] [0, 1, 4, 5]
// CHECK:         %[[S3:.*]] = vector.shuffle %[[R1]], %[[R3]] [2, 3, 6, 7]
// CHECK:         %[[T0:.*]] = vector.shuffle %[[S0]], %[[S1]] [0, 4, 2, 6]
// CHECK:         %[[T1:.*]] = vector.shuffle %[[S0]], %[[S1]] [1, 5, 3, 7]
// CHECK:         %[[T2:.*]] = vector.shuffle %[[S2]], %[[S3]] [0, 4, 2, 6]
// CHECK:         %[[T3:.*]] = vector.shuffle %[[S2]], %[[S3]] [1, 5, 3, 7]
// CHECK:         vector.insert %[[T0]], %{{.*}} [0]
// CHECK:         vector.insert %[[T1]], %{{.*}} [1]
// CHECK:         vector.insert %[[T2]], %{{.*}} [2]
// CHECK:         %[[T:.*]] = vector.insert %[[T3]], %{{.*}} [3]
// CHECK:         return %[[T]]
func.func @four(%a: vector<4x4xf32>) -> vector<4x4xf32> {
  %0 = vector.transpose %a, [1, 0] : vector<4x4xf32> to vector<4x4xf32>
  return %0 : vector<4x4xf32>
}

// Narrow elements are shuffled as integers: log2(16) steps of 16 shuffles.
// CHECK-LABEL: func.func @narrow
// CHECK:         vector.bitcast %{{.*}} : vector<16x16xbf16> to vector<16x16xi16>
// CHECK-COUNT-64: vector.shuffle {{.*}} : vector<16xi16>, vector<16xi16>
// CHECK-NOT:     vector.shuffle
// CHECK:         vector.bitcast %{{.*}} : vector<16x16xi16> to vector<16x16xbf16>
func.func @narrow(%a: vector<16x16xbf16>) -> vector<16x16xbf16> {
  %0 = vector.transpose %a, [1, 0] : vector<16x16xbf16> to vector<16x16xbf16>
  return %0 : vector<16x16xbf16>
}

// CHECK-LABEL: func.func @others
// CHECK-COUNT-3: vector.transpose
func.func @others(%a: vector<4x8xf32>, %b: vector<2x2xf32>, %c: vector<4x4x4xf32>)
    -> (vector<8x4xf32>, vector<2x2xf32>, vector<4x4x4xf32>) {
  %0 = vector.transpose %a, [1, 0] : vector<4x8xf32> to vector<8x4xf32>
  %1 = vector.transpose %b, [1, 0] : vector<2x2xf32> to vector<2x2xf32>
  %2 = vector.transpose %c, [0, 2, 1] : vector<4x4x4xf32> to vector<4x4x4xf32>
  return %0, %1, %2 : vector<8x4xf32>, vector<2x2xf32>, vector<4x4x4xf32>
}
