# negative control of script q4-k-exact
# Q4_K: the three products are exact, so the result is the exact value rounded once: mul and sub or fma, in
# any order, give the same word. (The control: the difference is exact too.)
# false at d_ = 1
# false at dmin_ = 1b-24
# false at m_ = 1
# false at q_ = 2
# false at sc_ = 1
@rn16 = float<11,-24,ne>;
@rn32 = float<24,-149,ne>;
@toward0 = fixed<0,zr>;
d = rn16(d_);
dmin = rn16(dmin_);
sc = toward0(sc_);
m = toward0(m_);
q = toward0(q_);
a = rn32((d * sc));
b = rn32((a * q));
c = rn32((dmin * m));
{
  # scale: finite
  |d| in [0,65504]
  # scale of the minimum: finite
  /\ |dmin| in [0,65504]
  # six bits
  /\ sc in [0,63]
  # six bits
  /\ m in [0,63]
  # four bits
  /\ q in [0,15]
  ->
  (a - (d * sc)) in [0,0] /\ (b - ((d * sc) * q)) in [0,0] /\ (rn32((b - c)) - (((d * sc) * q) - (dmin * m))) in [0,0]
}
