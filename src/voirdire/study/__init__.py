"""voirdire.study"""
