"""From audit and alignment to decisions: may a judge replace people, what are the rates, whom to ask next."""
