CREATE TABLE "service"."evidence_proofs" (
	"chain_id" integer NOT NULL,
	"block_hash" text NOT NULL,
	"transaction_hash" text NOT NULL,
	"block" text NOT NULL,
	"transaction_index" integer NOT NULL,
	"entry" text NOT NULL,
	"used_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "evidence_proofs_chain_id_block_hash_transaction_hash_pk" PRIMARY KEY("chain_id","block_hash","transaction_hash")
);
--> statement-breakpoint
CREATE INDEX "evidence_proofs_used" ON "service"."evidence_proofs" USING btree ("used_at");