func.func @meta() attributes {
    test.all = #sattn.meta<tile = [64, 128, 64], raster_group = 2, stages = 4, warps = 8>,
    test.group = #sattn.meta<tile = [64, 128, 64], raster_group = 2>,
    test.tile = #sattn.meta<tile = [64, 128, 64]>} {
  return
}
