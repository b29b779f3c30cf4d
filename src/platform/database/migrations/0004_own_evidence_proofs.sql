TRUNCATE "service"."evidence_proofs";--> statement-breakpoint
ALTER TABLE "service"."evidence_proofs" DROP CONSTRAINT "evidence_proofs_chain_id_block_hash_transaction_hash_pk";--> statement-breakpoint
ALTER TABLE "service"."evidence_proofs" ADD COLUMN "principal_id" text NOT NULL;--> statement-breakpoint
ALTER TABLE "service"."evidence_proofs" ADD CONSTRAINT "evidence_proofs_place" PRIMARY KEY("principal_id","chain_id","block_hash","transaction_hash");--> statement-breakpoint
ALTER TABLE "service"."evidence_proofs" ADD CONSTRAINT "evidence_proofs_principal_id_principals_id_fk" FOREIGN KEY ("principal_id") REFERENCES "service"."principals"("id") ON DELETE no action ON UPDATE no action;