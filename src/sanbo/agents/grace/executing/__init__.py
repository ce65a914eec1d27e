"""Which steps run when, how one is carried out, and what follows from what came of them."""
