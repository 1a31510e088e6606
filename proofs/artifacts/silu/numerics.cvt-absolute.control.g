# negative control of script cvt-absolute
# cvt.rn.f16.f32 of a result below the normal range is within 2^-25.
# false at x = 1b-25
@rn16 = float<11,-24,ne>;
y = rn16(x);
{
  # subnormal in binary16, or 0
  |x| in [0,1b-14]
  ->
  (y - x) in [-1023b-35,1023b-35]
}
