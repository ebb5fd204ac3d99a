module pricefeed

go 1.19
