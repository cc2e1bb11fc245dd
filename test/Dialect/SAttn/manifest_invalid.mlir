// RUN: sparse-opt %s --split-input-file --verify-diagnostics

// expected-error @below {{'func.func' op expected 'sattn.manifest' to be a string of a function, but got 3 : i64}}
func.func @number() attributes {sattn.manifest = 3} {
  return
}

// -----

func.func @place() {
  // expected-error @below {{'func.return' op expected 'sattn.manifest' to be a string of a function, but got "{}"}}
  return {sattn.manifest = "{}"}
}

// -----

// expected-error @below {{'func.func' op expected 'sattn.manifest' to be a manifest that the runtime takes, but manifest: }}
func.func @no_json() attributes {sattn.manifest = "version 3"} {
  return
}

// -----

// expected-error @below {{'func.func' op expected 'sattn.manifest' to be a manifest that the runtime takes, but manifest: root: unknown key 'step'}}
func.func @unknown() attributes {sattn.manifest = "{\22version\22:3,\22name\22:\22f\22,\22target\22:\22cpu\22,\22arguments\22:[],\22step\22:[]}"} {
  return
}

// -----

// expected-error @below {{to be a manifest that the runtime takes, but manifest: root.arguments[0]: expected a scalar of type f32 or f64, but got f16}}
func.func @scalar() attributes {sattn.manifest = "{\22version\22:3,\22name\22:\22f\22,\22target\22:\22cpu\22,\22arguments\22:[{\22kind\22:\22scalar\22,\22type\22:\22f16\22}]}"} {
  return
}

// -----

// expected-error @below {{'func.func' op expected 'sattn.names' to be an array of strings of a function, but got [5]}}
func.func @names(%x: f32) attributes {sattn.names = [5]} {
  return
}

// -----

func.func @names_place(%x: f32) {
  // expected-error @below {{'func.return' op expected 'sattn.names' to be an array of strings of a function, but got ["x"]}}
  return {sattn.names = ["x"]}
}

// -----

func.func @taken() attributes {
    sattn.manifest = "{\22version\22:3,\22name\22:\22f\22,\22target\22:\22cpu\22,\22arguments\22:[]}", sattn.names = []} {
  return
}
