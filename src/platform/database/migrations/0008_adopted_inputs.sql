CREATE TABLE "service"."adopted_inputs" (
	"record_id" text NOT NULL,
	"transaction_hash" text NOT NULL,
	"ordinal" integer NOT NULL,
	CONSTRAINT "adopted_inputs_record_id_transaction_hash_ordinal_pk" PRIMARY KEY("record_id","transaction_hash","ordinal")
);
--> statement-breakpoint
ALTER TABLE "service"."records" ADD COLUMN "adopted_final" bigint;--> statement-breakpoint
ALTER TABLE "service"."adopted_inputs" ADD CONSTRAINT "adopted_inputs_record_id_records_id_fk" FOREIGN KEY ("record_id") REFERENCES "service"."records"("id") ON DELETE cascade ON UPDATE no action;