# negative control of script swiglu-product
# SwiGLU's last mul.rn: s within SiLU's Phi of Q = silu(gate) gives s up within (1 + Phi)(1 + u) - 1 of Q up.
# false at Q = 2251799756971443b-51
# false at s_ = 8388639b-23
# false at up_ = 1041b-10
@rn16 = float<11,-24,ne>;
@rn32 = float<24,-149,ne>;
s = rn32(s_);
up = rn16(up_);
y = rn32((s * up));
{
  # silu(gate) from gate = -43 on, not 0
  |s| in [1b-80,65504]
  # up: finite, not 0
  /\ |up| in [1b-24,65504]
  # silu-result
  /\ s -/ Q in [-551227810822187b-67,551227810822187b-67]
  ->
  y -/ (Q * up) in [-551227810822187b-67,551227810822187b-67]
}
