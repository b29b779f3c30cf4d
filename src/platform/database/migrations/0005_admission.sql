CREATE TABLE "service"."gas_bounds" (
	"chain_id" integer NOT NULL,
	"kind" text NOT NULL,
	"execution_gas" numeric(78, 0) NOT NULL,
	"call_bytes" integer NOT NULL,
	"receipts" integer DEFAULT 0 NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "gas_bounds_chain_id_kind_pk" PRIMARY KEY("chain_id","kind")
);
--> statement-breakpoint
ALTER TABLE "service"."transactions" ADD COLUMN "gas_kind" text;--> statement-breakpoint
ALTER TABLE "service"."transactions" ADD COLUMN "admission" json;