# negative control of script cvt-relative
# cvt.rn.f16.f32 of a normal result that does not overflow is within relative 2^-11.
# false at x = 2049b-11
@rn16 = float<11,-24,ne>;
y = rn16(x);
{
  # normal in binary16, no overflow
  |x| in [1b-14,65520]
  ->
  y -/ x in [-1023b-21,1023b-21]
}
