-- What a node says to an attempt is written a moment after it: with room beside it, the indexes need not be touched.
ALTER TABLE "service"."transaction_attempts" SET (fillfactor = 50);
