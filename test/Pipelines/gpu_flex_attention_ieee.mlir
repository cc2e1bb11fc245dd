// f32 heads and their gradients in IEEE arithmetic, with loads ahead: the additions of a block are done before
// the copies of a later one are issued, so that no kernel holds a whole block in registers.
// RUN: %if ptxas %{ sparse-translate --to=cubin --refuse-spills --chip=sm_80 %s -o /dev/null %}
// RUN: %if ptxas %{ sparse-translate --to=cubin --refuse-spills %s -o /dev/null %}

func.func @gradients(%scale: f32, %q: tensor<?x?x64xf32>, %k: tensor<?x?x64xf32>, %v: tensor<?x?x64xf32>, %go: tensor<?x?x64xf32>,
    %lse2: tensor<?x?xf32>, %delta: tensor<?x?xf32>, %dq: tensor<?x?x64xf32>, %dk: tensor<?x?x64xf32>, %dv: tensor<?x?x64xf32>)
    -> (tensor<?x?x64xf32>, tensor<?x?x64xf32>, tensor<?x?x64xf32>) {
  %0 = sattn.flex_attention_dq scale(%scale)
      ins(%q, %k, %v, %go, %lse2, %delta : tensor<?x?x64xf32>, tensor<?x?x64xf32>, tensor<?x?x64xf32>, tensor<?x?x64xf32>,
          tensor<?x?xf32>, tensor<?x?xf32>)
      outs(%dq : tensor<?x?x64xf32>) -> tensor<?x?x64xf32> {mask = #sattn.mask<right = 0>}
  %1:2 = sattn.flex_attention_dkdv scale(%scale)
      ins(%q, %k, %v, %go, %lse2, %delta : tensor<?x?x64xf32>, tensor<?x?x64xf32>, tensor<?x?x64xf32>, tensor<?x?x64xf32>,
          tensor<?x?xf32>, tensor<?x?xf32>)
      outs(%dk, %dv : tensor<?x?x64xf32>, tensor<?x?x64xf32>) -> tensor<?x?x64xf32>, tensor<?x?x64xf32> {mask = #sattn.mask<right = 0>}
  return %0, %1#0, %1#1 : tensor<?x?x64xf32>, tensor<?x?x64xf32>, tensor<?x?x64xf32>
}

func.func @forward(%scale: f32, %q: tensor<?x?x64xf32>, %k: tensor<?x?x64xf32>, %v: tensor<?x?x64xf32>, %o: tensor<?x?x64xf32>) -> tensor<?x?x64xf32> {
  %0 = sattn.flex_attention scale(%scale)
      ins(%q, %k, %v : tensor<?x?x64xf32>, tensor<?x?x64xf32>, tensor<?x?x64xf32>)
      outs(%o : tensor<?x?x64xf32>) -> tensor<?x?x64xf32> {mask = #sattn.mask<right = 0>}
  return %0 : tensor<?x?x64xf32>
}
