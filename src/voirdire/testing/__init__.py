"""voirdire.testing"""
