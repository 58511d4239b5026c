"""voirdire.writers"""
