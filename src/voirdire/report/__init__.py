"""voirdire.report"""
