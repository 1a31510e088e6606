# negative control of script q8-0-exact
# Q8_0: mul.rn of scale and signed byte is exact. (The control: exact in binary16.)
# false at d_ = 1025b-10
# false at q_ = 127
@rn16 = float<11,-24,ne>;
@rn32 = float<24,-149,ne>;
@toward0 = fixed<0,zr>;
d = rn16(d_);
q = toward0(q_);
y = rn32((d * q));
{
  # scale: finite
  |d| in [0,65504]
  # a signed byte
  /\ q in [-128,127]
  ->
  (rn16(y) - (d * q)) in [0,0]
}
