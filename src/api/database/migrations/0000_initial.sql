CREATE SCHEMA IF NOT EXISTS "service";
--> statement-breakpoint
CREATE TABLE "service"."api_keys" (
	"id" text PRIMARY KEY NOT NULL,
	"principal_id" text NOT NULL,
	"label" text,
	"key_hash" text NOT NULL,
	"status" text DEFAULT 'active' NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"last_used_at" timestamp (3) with time zone,
	"ended_at" timestamp (3) with time zone
);
--> statement-breakpoint
CREATE TABLE "service"."entitlements" (
	"principal_id" text NOT NULL,
	"scope" text NOT NULL,
	"mode" text NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "entitlements_principal_id_scope_pk" PRIMARY KEY("principal_id","scope")
);
--> statement-breakpoint
CREATE TABLE "service"."principals" (
	"id" text PRIMARY KEY NOT NULL,
	"name" text NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "service"."inputs" (
	"id" text PRIMARY KEY NOT NULL,
	"record_id" text NOT NULL,
	"chain_id" integer NOT NULL,
	"agreement_address" text NOT NULL,
	"input_id" text NOT NULL,
	"status" text NOT NULL,
	"user_id" text,
	"transaction_id" text,
	"signer" text,
	"submitter" text,
	"from_state" text,
	"to_state" text,
	"payload" text NOT NULL,
	"values" json NOT NULL,
	"tx_hash" text,
	"position" integer,
	"transaction_ordinal" integer,
	"sequence" integer,
	"block_number" bigint,
	"error" json,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "inputs_position" UNIQUE("record_id","position"),
	CONSTRAINT "inputs_permit" UNIQUE("record_id","transaction_id")
);
--> statement-breakpoint
CREATE TABLE "service"."folded_blocks" (
	"chain_id" integer NOT NULL,
	"number" bigint NOT NULL,
	"hash" text NOT NULL,
	"timestamp" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "folded_blocks_chain_id_number_pk" PRIMARY KEY("chain_id","number")
);
--> statement-breakpoint
CREATE TABLE "service"."projections" (
	"chain_id" integer PRIMARY KEY NOT NULL,
	"head_number" bigint NOT NULL,
	"head_hash" text NOT NULL,
	"head_timestamp" timestamp (3) with time zone NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "service"."records" (
	"id" text PRIMARY KEY NOT NULL,
	"principal_id" text NOT NULL,
	"chain_id" integer NOT NULL,
	"address" text,
	"status" text NOT NULL,
	"display_name" text NOT NULL,
	"document" text NOT NULL,
	"doc_hash" text NOT NULL,
	"template_id" text NOT NULL,
	"doc_uri" text NOT NULL,
	"document_id" text,
	"participants" json NOT NULL,
	"observers" json NOT NULL,
	"contributors" json NOT NULL,
	"notification_template" text,
	"initial_variables" json NOT NULL,
	"variables" json NOT NULL,
	"deploy_transaction_id" text,
	"error" json,
	"owner" text,
	"initial_state_hash" text,
	"state_hash" text,
	"state" text,
	"state_block_number" bigint,
	"state_updated_at" timestamp (3) with time zone,
	"deploy_tx_hash" text,
	"deploy_block_number" bigint,
	"input_count" integer DEFAULT 0 NOT NULL,
	"transition_count" integer DEFAULT 0 NOT NULL,
	"last_input_id" text,
	"last_input_at" timestamp (3) with time zone,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "records_agreement" UNIQUE("principal_id","chain_id","address"),
	CONSTRAINT "records_document" UNIQUE("principal_id","document_id"),
	CONSTRAINT "records_permit" UNIQUE("principal_id","deploy_transaction_id")
);
--> statement-breakpoint
CREATE TABLE "service"."relayer_wallets" (
	"chain_id" integer NOT NULL,
	"address" text NOT NULL,
	"status" text NOT NULL,
	"balance" numeric(78, 0) NOT NULL,
	"next_nonce" bigint NOT NULL,
	"lease_owner" text,
	"lease_until" timestamp (3) with time zone,
	"updated_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "relayer_wallets_chain_id_address_pk" PRIMARY KEY("chain_id","address")
);
--> statement-breakpoint
CREATE TABLE "service"."transaction_attempts" (
	"id" serial PRIMARY KEY NOT NULL,
	"transaction_id" text NOT NULL,
	"chain_id" integer NOT NULL,
	"wallet" text NOT NULL,
	"wallet_nonce" bigint NOT NULL,
	"tx_hash" text NOT NULL,
	"raw_transaction" text NOT NULL,
	"max_fee_per_gas" numeric(78, 0) NOT NULL,
	"max_priority_fee_per_gas" numeric(78, 0) NOT NULL,
	"gas" numeric(78, 0) NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"accepted_at" timestamp (3) with time zone,
	"last_error" text,
	CONSTRAINT "transaction_attempts_hash" UNIQUE("chain_id","tx_hash")
);
--> statement-breakpoint
CREATE TABLE "service"."transactions" (
	"id" text PRIMARY KEY NOT NULL,
	"chain_id" integer NOT NULL,
	"kind" text NOT NULL,
	"contract" text NOT NULL,
	"signer" text NOT NULL,
	"permit_nonce" numeric(78, 0) NOT NULL,
	"permit_digest" text NOT NULL,
	"content_hash" text NOT NULL,
	"deadline" numeric(78, 0) NOT NULL,
	"call_data" text NOT NULL,
	"gas_estimate" bigint,
	"state" text DEFAULT 'accepted' NOT NULL,
	"failure" json,
	"wallet" text,
	"wallet_nonce" bigint,
	"tx_hash" text,
	"mined_block_number" bigint,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "transactions_permit" UNIQUE("chain_id","permit_digest","signer")
);
--> statement-breakpoint
ALTER TABLE "service"."api_keys" ADD CONSTRAINT "api_keys_principal_id_principals_id_fk" FOREIGN KEY ("principal_id") REFERENCES "service"."principals"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "service"."entitlements" ADD CONSTRAINT "entitlements_principal_id_principals_id_fk" FOREIGN KEY ("principal_id") REFERENCES "service"."principals"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "service"."inputs" ADD CONSTRAINT "inputs_record_id_records_id_fk" FOREIGN KEY ("record_id") REFERENCES "service"."records"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "service"."inputs" ADD CONSTRAINT "inputs_user_id_principals_id_fk" FOREIGN KEY ("user_id") REFERENCES "service"."principals"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "service"."inputs" ADD CONSTRAINT "inputs_transaction_id_transactions_id_fk" FOREIGN KEY ("transaction_id") REFERENCES "service"."transactions"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "service"."records" ADD CONSTRAINT "records_principal_id_principals_id_fk" FOREIGN KEY ("principal_id") REFERENCES "service"."principals"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "service"."records" ADD CONSTRAINT "records_deploy_transaction_id_transactions_id_fk" FOREIGN KEY ("deploy_transaction_id") REFERENCES "service"."transactions"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "service"."transaction_attempts" ADD CONSTRAINT "transaction_attempts_transaction_id_transactions_id_fk" FOREIGN KEY ("transaction_id") REFERENCES "service"."transactions"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE UNIQUE INDEX "api_keys_key_hash_index" ON "service"."api_keys" USING btree ("key_hash");--> statement-breakpoint
CREATE INDEX "api_keys_principal_id_index" ON "service"."api_keys" USING btree ("principal_id");--> statement-breakpoint
CREATE UNIQUE INDEX "principals_name_index" ON "service"."principals" USING btree ("name");--> statement-breakpoint
CREATE INDEX "inputs_record_id_created_at_id_index" ON "service"."inputs" USING btree ("record_id","created_at","id");--> statement-breakpoint
CREATE INDEX "inputs_record_id_updated_at_id_index" ON "service"."inputs" USING btree ("record_id","updated_at","id");--> statement-breakpoint
CREATE INDEX "inputs_transaction_id_index" ON "service"."inputs" USING btree ("transaction_id");--> statement-breakpoint
CREATE INDEX "inputs_chain_id_block_number_index" ON "service"."inputs" USING btree ("chain_id","block_number");--> statement-breakpoint
CREATE INDEX "records_chain_id_address_index" ON "service"."records" USING btree ("chain_id","address");--> statement-breakpoint
CREATE INDEX "records_deploy_transaction_id_index" ON "service"."records" USING btree ("deploy_transaction_id");--> statement-breakpoint
CREATE INDEX "records_principal_id_created_at_id_index" ON "service"."records" USING btree ("principal_id","created_at","id");--> statement-breakpoint
CREATE INDEX "records_principal_id_updated_at_id_index" ON "service"."records" USING btree ("principal_id","updated_at","id");--> statement-breakpoint
CREATE INDEX "records_principal_id_display_name_id_index" ON "service"."records" USING btree ("principal_id","display_name","id");--> statement-breakpoint
CREATE INDEX "transaction_attempts_transaction_id_index" ON "service"."transaction_attempts" USING btree ("transaction_id");--> statement-breakpoint
CREATE INDEX "transaction_attempts_chain_id_wallet_wallet_nonce_index" ON "service"."transaction_attempts" USING btree ("chain_id","wallet","wallet_nonce");--> statement-breakpoint
CREATE UNIQUE INDEX "transactions_open_permit" ON "service"."transactions" USING btree ("chain_id","contract","signer","permit_nonce") WHERE state <> 'failed';--> statement-breakpoint
CREATE INDEX "transactions_open" ON "service"."transactions" USING btree ("chain_id","created_at") WHERE state in ('accepted', 'signed', 'broadcast');--> statement-breakpoint
CREATE INDEX "transactions_chain_id_wallet_wallet_nonce_index" ON "service"."transactions" USING btree ("chain_id","wallet","wallet_nonce");--> statement-breakpoint
CREATE INDEX "transactions_chain_id_mined_block_number_index" ON "service"."transactions" USING btree ("chain_id","mined_block_number");