# negative control of script q4-0-exact
# Q4_0: add.rn(q, -8) and mul.rn with the scale are exact. (The control: exact in binary16.)
# false at d_ = 1025b-10
# false at q_ = 1
@rn16 = float<11,-24,ne>;
@rn32 = float<24,-149,ne>;
@toward0 = fixed<0,zr>;
d = rn16(d_);
q = toward0(q_);
k = rn32((q + -8));
y = rn32((d * k));
{
  # scale: finite
  |d| in [0,65504]
  # four bits
  /\ q in [0,15]
  ->
  (k - (q + -8)) in [0,0] /\ (rn16(y) - (d * k)) in [0,0]
}
