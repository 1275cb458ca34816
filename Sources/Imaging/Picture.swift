package enum Picture {}
