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
	"ended_at" timestamp (3) with time zone,
	CONSTRAINT "api_keys_status" CHECK (status in ('active', 'disabled', 'revoked'))
);
--> statement-breakpoint
CREATE TABLE "service"."entitlements" (
	"principal_id" text NOT NULL,
	"scope" text NOT NULL,
	"mode" text NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "entitlements_principal_id_scope_pk" PRIMARY KEY("principal_id","scope"),
	CONSTRAINT "entitlements_mode" CHECK (mode in ('free_allowlist', 'paid_required', 'blocked'))
);
--> statement-breakpoint
CREATE TABLE "service"."principals" (
	"id" text PRIMARY KEY NOT NULL,
	"name" text NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "service"."portal_links" (
	"id" text PRIMARY KEY NOT NULL,
	"secret_hash" text NOT NULL,
	"principal_id" text NOT NULL,
	"key_id" text NOT NULL,
	"capabilities" json,
	"label" text,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"expires_at" timestamp (3) with time zone NOT NULL,
	"used_at" timestamp (3) with time zone,
	"ended_at" timestamp (3) with time zone
);
--> statement-breakpoint
CREATE TABLE "service"."sessions" (
	"id" text PRIMARY KEY NOT NULL,
	"token_hash" text NOT NULL,
	"principal_id" text NOT NULL,
	"key_id" text NOT NULL,
	"capabilities" json,
	"label" text,
	"portal_link_id" text,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"last_used_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"expires_at" timestamp (3) with time zone NOT NULL,
	"ended_at" timestamp (3) with time zone
);
--> statement-breakpoint
CREATE TABLE "service"."event_feeds" (
	"principal_id" text NOT NULL,
	"last_position" bigint NOT NULL,
	"expired_through" bigint DEFAULT 0 NOT NULL,
	CONSTRAINT "event_feeds_principal_id_pk" PRIMARY KEY("principal_id")
);
--> statement-breakpoint
CREATE TABLE "service"."event_parts" (
	"id" text PRIMARY KEY NOT NULL,
	"text" text NOT NULL,
	"used_at" timestamp (3) with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "service"."events" (
	"id" text PRIMARY KEY NOT NULL,
	"principal_id" text NOT NULL,
	"record_id" text,
	"type" text NOT NULL,
	"body" text NOT NULL,
	"state" text NOT NULL,
	"chain_id" integer,
	"block_number" bigint,
	"tx_hash" text,
	"block_order" integer DEFAULT 0 NOT NULL,
	"position" bigint,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"released_at" timestamp (3) with time zone,
	"trace_parent" text,
	"notification_part_id" text,
	"variables_part_id" text,
	CONSTRAINT "events_state" CHECK (state in ('pending', 'released', 'withdrawn'))
);
--> statement-breakpoint
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
CREATE TABLE "service"."idempotency_keys" (
	"principal_id" text NOT NULL,
	"key" text NOT NULL,
	"fingerprint" text NOT NULL,
	"attempt_id" text NOT NULL,
	"lease_until" timestamp (3) with time zone,
	"answer" "bytea",
	"expires_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "idempotency_keys_principal_id_key_pk" PRIMARY KEY("principal_id","key")
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
	CONSTRAINT "inputs_permit" UNIQUE("record_id","transaction_id"),
	CONSTRAINT "inputs_status" CHECK (status in ('PENDING', 'MINED', 'FAILED'))
);
--> statement-breakpoint
CREATE TABLE "service"."installation_secrets" (
	"name" text PRIMARY KEY NOT NULL,
	"value" text NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "service"."principal_quotas" (
	"principal_id" text NOT NULL,
	"quota" text NOT NULL,
	"value" bigint NOT NULL,
	CONSTRAINT "principal_quotas_principal_id_quota_pk" PRIMARY KEY("principal_id","quota")
);
--> statement-breakpoint
CREATE TABLE "service"."usage_days" (
	"principal_id" text NOT NULL,
	"day" date NOT NULL,
	"events" bigint DEFAULT 0 NOT NULL,
	"mails" bigint DEFAULT 0 NOT NULL,
	"gas" numeric(30, 0) DEFAULT '0' NOT NULL,
	"answer_bytes" bigint DEFAULT 0 NOT NULL,
	CONSTRAINT "usage_days_principal_id_day_pk" PRIMARY KEY("principal_id","day")
);
--> statement-breakpoint
CREATE TABLE "service"."usage_totals" (
	"principal_id" text PRIMARY KEY NOT NULL,
	"stored_bytes" bigint DEFAULT 0 NOT NULL,
	"adopted_agreements" integer DEFAULT 0 NOT NULL
);
--> statement-breakpoint
CREATE TABLE "service"."folded_blocks" (
	"chain_id" integer NOT NULL,
	"number" bigint NOT NULL,
	"hash" text NOT NULL,
	"timestamp" timestamp (3) with time zone NOT NULL,
	"event_count" integer,
	CONSTRAINT "folded_blocks_chain_id_number_pk" PRIMARY KEY("chain_id","number")
);
--> statement-breakpoint
CREATE TABLE "service"."projections" (
	"chain_id" integer PRIMARY KEY NOT NULL,
	"head_number" bigint NOT NULL,
	"head_hash" text NOT NULL,
	"head_timestamp" timestamp (3) with time zone NOT NULL,
	"compared_deployment" text,
	"compared_through" bigint,
	"folded_through" bigint,
	"updated_at" timestamp (3) with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "service"."quarantined_records" (
	"record_id" text PRIMARY KEY NOT NULL,
	"chain_id" integer NOT NULL,
	"phase" text NOT NULL,
	"error" text NOT NULL,
	"failures" integer DEFAULT 1 NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"retry_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "quarantined_records_phase" CHECK (phase in ('deploy', 'begin', 'restore', 'continue'))
);
--> statement-breakpoint
CREATE UNLOGGED TABLE "service"."rate_buckets" (
	"principal_id" text NOT NULL,
	"kind" text NOT NULL,
	"tokens" double precision NOT NULL,
	"granted" integer NOT NULL,
	"updated_at" timestamp with time zone NOT NULL,
	CONSTRAINT "rate_buckets_principal_id_kind_pk" PRIMARY KEY("principal_id","kind")
) WITH (fillfactor = 50);
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
	"adopted_through" bigint,
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
	"behind" boolean DEFAULT false NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"awaits_owner" boolean DEFAULT false NOT NULL,
	"participant_access" text DEFAULT 'none' NOT NULL,
	"access_variables" json,
	CONSTRAINT "records_agreement" UNIQUE("principal_id","chain_id","address"),
	CONSTRAINT "records_document" UNIQUE("principal_id","document_id"),
	CONSTRAINT "records_permit" UNIQUE("principal_id","deploy_transaction_id"),
	CONSTRAINT "records_status" CHECK (status in ('Draft', 'Deployed')),
	CONSTRAINT "records_participant_access" CHECK (participant_access in ('none', 'read', 'sign'))
);
--> statement-breakpoint
CREATE TABLE "service"."relayer_wallets" (
	"chain_id" integer NOT NULL,
	"address" text NOT NULL,
	"status" text NOT NULL,
	"balance" numeric(78, 0) NOT NULL,
	"payable_gas" bigint,
	"next_nonce" bigint NOT NULL,
	"lease_owner" text,
	"lease_until" timestamp (3) with time zone,
	"updated_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "relayer_wallets_chain_id_address_pk" PRIMARY KEY("chain_id","address"),
	CONSTRAINT "relayer_wallets_status" CHECK (status in ('active', 'unfunded', 'retired'))
);
--> statement-breakpoint
CREATE TABLE "service"."mails" (
	"firing_id" text PRIMARY KEY NOT NULL,
	"address" text,
	"subject" text NOT NULL,
	"body" text NOT NULL,
	"status" text NOT NULL,
	"attempt_count" integer DEFAULT 0 NOT NULL,
	"error" text,
	"trace_parent" text,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "mails_status" CHECK (status in ('waiting', 'due', 'sent', 'failed', 'skipped', 'withdrawn'))
);
--> statement-breakpoint
CREATE TABLE "service"."rule_firings" (
	"id" text PRIMARY KEY NOT NULL,
	"record_id" text NOT NULL,
	"rule_id" text NOT NULL,
	"recipient" text NOT NULL,
	"occasion" text NOT NULL,
	"trigger_type" text NOT NULL,
	"channel" text NOT NULL,
	"state" text NOT NULL,
	"chain_id" integer NOT NULL,
	"block_number" bigint,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "rule_firings_trigger_type" CHECK (trigger_type in ('onTransition', 'temporal')),
	CONSTRAINT "rule_firings_channel" CHECK (channel in ('external_webhook', 'email')),
	CONSTRAINT "rule_firings_state" CHECK (state in ('pending', 'released', 'withdrawn'))
);
--> statement-breakpoint
CREATE TABLE "service"."rule_schedules" (
	"record_id" text NOT NULL,
	"rule_id" text NOT NULL,
	"stay" text NOT NULL,
	"span" text NOT NULL,
	"chain_id" integer NOT NULL,
	"state" text NOT NULL,
	"from_state" text NOT NULL,
	"input_id" text NOT NULL,
	"entered_ms" bigint NOT NULL,
	"since_ms" bigint NOT NULL,
	"since_block" bigint NOT NULL,
	"until_ms" bigint,
	"until_block" bigint,
	"date" text,
	"starts_ms" bigint,
	"ends_ms" bigint,
	"interval_ms" bigint,
	"next_number" bigint DEFAULT 0 NOT NULL,
	"due_ms" bigint GENERATED ALWAYS AS (case
      when interval_ms is null and next_number > 0 then null
      when starts_ms + next_number * coalesce(interval_ms, 0) >= until_ms then null
      when starts_ms + next_number * coalesce(interval_ms, 0) > ends_ms then null
      else starts_ms + next_number * coalesce(interval_ms, 0) end) STORED,
	CONSTRAINT "rule_schedules_record_id_rule_id_span_pk" PRIMARY KEY("record_id","rule_id","span")
);
--> statement-breakpoint
CREATE TABLE "service"."signing_link_uses" (
	"id" serial PRIMARY KEY NOT NULL,
	"link_id" text NOT NULL,
	"kind" text NOT NULL,
	"wallet" text,
	"input_id" text,
	"used_at" timestamp (3) with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "service"."signing_links" (
	"id" text PRIMARY KEY NOT NULL,
	"secret_hash" text NOT NULL,
	"principal_id" text NOT NULL,
	"record_id" text NOT NULL,
	"may" text NOT NULL,
	"participant" text,
	"note" text,
	"created_by_api_key_id" text,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"expires_at" timestamp (3) with time zone NOT NULL,
	"ended_at" timestamp (3) with time zone
);
--> statement-breakpoint
CREATE TABLE "service"."transaction_attempts" (
	"id" serial PRIMARY KEY NOT NULL,
	"transaction_id" text,
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
	"objection" text,
	"objection_text" text,
	CONSTRAINT "transaction_attempts_hash" UNIQUE("chain_id","tx_hash"),
	CONSTRAINT "transaction_attempts_objection" CHECK (objection in ('nonceTooLow', 'underpriced', 'insufficientFunds', 'rejected', 'unavailable'))
) WITH (fillfactor = 50);
--> statement-breakpoint
CREATE TABLE "service"."transactions" (
	"id" text PRIMARY KEY NOT NULL,
	"chain_id" integer NOT NULL,
	"kind" text NOT NULL,
	"principal_id" text,
	"contract" text NOT NULL,
	"signer" text NOT NULL,
	"permit_nonce" numeric(78, 0) NOT NULL,
	"permit_digest" text NOT NULL,
	"content_hash" text NOT NULL,
	"deadline" numeric(78, 0) NOT NULL,
	"call_data" text NOT NULL,
	"gas_estimate" bigint,
	"gas_kind" text,
	"admission" json,
	"state" text DEFAULT 'accepted' NOT NULL,
	"failure" json,
	"wallet" text,
	"wallet_nonce" bigint,
	"tx_hash" text,
	"reserved_until" timestamp (3) with time zone,
	"mined_block_number" bigint,
	"request_id" text,
	"trace_parent" text,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "transactions_permit" UNIQUE("chain_id","permit_digest","signer"),
	CONSTRAINT "transactions_kind" CHECK (kind in ('deploy', 'input')),
	CONSTRAINT "transactions_state" CHECK (state in ('accepted', 'signed', 'broadcast', 'mined', 'final', 'failed'))
);
--> statement-breakpoint
CREATE TABLE "service"."record_wallets" (
	"record_id" text NOT NULL,
	"wallet" text NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "record_wallets_record_id_wallet_pk" PRIMARY KEY("record_id","wallet")
);
--> statement-breakpoint
CREATE TABLE "service"."wallet_challenges" (
	"id" text PRIMARY KEY NOT NULL,
	"wallet" text NOT NULL,
	"message" text NOT NULL,
	"expires_at" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "service"."wallet_sessions" (
	"id" text PRIMARY KEY NOT NULL,
	"token_hash" text NOT NULL,
	"wallet" text NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"expires_at" timestamp (3) with time zone NOT NULL,
	"ended_at" timestamp (3) with time zone
);
--> statement-breakpoint
CREATE TABLE "service"."deliveries" (
	"id" text PRIMARY KEY NOT NULL,
	"subscription_id" text NOT NULL,
	"event_id" text NOT NULL,
	"record_id" text,
	"position" bigint,
	"status" text DEFAULT 'pending' NOT NULL,
	"attempt_count" integer DEFAULT 0 NOT NULL,
	"attempt_limit" integer,
	"next_attempt_at" timestamp (3) with time zone,
	"response_status" integer,
	"error" text,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"completed_at" timestamp (3) with time zone,
	CONSTRAINT "deliveries_event" UNIQUE("subscription_id","event_id"),
	CONSTRAINT "deliveries_status" CHECK (status in ('pending', 'retry_pending', 'succeeded', 'failed'))
);
--> statement-breakpoint
CREATE TABLE "service"."delivery_attempts" (
	"id" serial PRIMARY KEY NOT NULL,
	"delivery_id" text NOT NULL,
	"number" integer NOT NULL,
	"started_at" timestamp (3) with time zone NOT NULL,
	"duration_ms" integer NOT NULL,
	"response_status" integer,
	"response_excerpt" text,
	"error" text
);
--> statement-breakpoint
CREATE TABLE "service"."delivery_seats" (
	"subscription_id" text PRIMARY KEY NOT NULL,
	"worker_id" text NOT NULL
);
--> statement-breakpoint
CREATE TABLE "service"."webhook_subscriptions" (
	"id" text PRIMARY KEY NOT NULL,
	"principal_id" text NOT NULL,
	"created_by_api_key_id" text,
	"url" text NOT NULL,
	"status" text DEFAULT 'active' NOT NULL,
	"event_types" json NOT NULL,
	"filters" json,
	"secret" "bytea" NOT NULL,
	"previous_secret" "bytea",
	"previous_secret_until" timestamp (3) with time zone,
	"last_success_at" timestamp (3) with time zone,
	"last_failure_at" timestamp (3) with time zone,
	"failures_in_row" integer DEFAULT 0 NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "webhook_subscriptions_status" CHECK (status in ('active', 'disabled'))
);
--> statement-breakpoint
CREATE TABLE "service"."worker_leases" (
	"id" text PRIMARY KEY NOT NULL,
	"lease_until" timestamp with time zone NOT NULL
);
--> statement-breakpoint
ALTER TABLE "service"."api_keys" ADD CONSTRAINT "api_keys_principal_id_principals_id_fk" FOREIGN KEY ("principal_id") REFERENCES "service"."principals"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "service"."entitlements" ADD CONSTRAINT "entitlements_principal_id_principals_id_fk" FOREIGN KEY ("principal_id") REFERENCES "service"."principals"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "service"."portal_links" ADD CONSTRAINT "portal_links_principal_id_principals_id_fk" FOREIGN KEY ("principal_id") REFERENCES "service"."principals"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "service"."portal_links" ADD CONSTRAINT "portal_links_key_id_api_keys_id_fk" FOREIGN KEY ("key_id") REFERENCES "service"."api_keys"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "service"."sessions" ADD CONSTRAINT "sessions_principal_id_principals_id_fk" FOREIGN KEY ("principal_id") REFERENCES "service"."principals"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "service"."sessions" ADD CONSTRAINT "sessions_key_id_api_keys_id_fk" FOREIGN KEY ("key_id") REFERENCES "service"."api_keys"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "service"."event_feeds" ADD CONSTRAINT "event_feeds_principal_id_principals_id_fk" FOREIGN KEY ("principal_id") REFERENCES "service"."principals"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "service"."events" ADD CONSTRAINT "events_principal_id_principals_id_fk" FOREIGN KEY ("principal_id") REFERENCES "service"."principals"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "service"."events" ADD CONSTRAINT "events_record_id_records_id_fk" FOREIGN KEY ("record_id") REFERENCES "service"."records"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "service"."events" ADD CONSTRAINT "events_notification_part_id_event_parts_id_fk" FOREIGN KEY ("notification_part_id") REFERENCES "service"."event_parts"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "service"."events" ADD CONSTRAINT "events_variables_part_id_event_parts_id_fk" FOREIGN KEY ("variables_part_id") REFERENCES "service"."event_parts"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "service"."idempotency_keys" ADD CONSTRAINT "idempotency_keys_principal_id_principals_id_fk" FOREIGN KEY ("principal_id") REFERENCES "service"."principals"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "service"."inputs" ADD CONSTRAINT "inputs_record_id_records_id_fk" FOREIGN KEY ("record_id") REFERENCES "service"."records"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "service"."inputs" ADD CONSTRAINT "inputs_user_id_principals_id_fk" FOREIGN KEY ("user_id") REFERENCES "service"."principals"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "service"."inputs" ADD CONSTRAINT "inputs_transaction_id_transactions_id_fk" FOREIGN KEY ("transaction_id") REFERENCES "service"."transactions"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "service"."principal_quotas" ADD CONSTRAINT "principal_quotas_principal_id_principals_id_fk" FOREIGN KEY ("principal_id") REFERENCES "service"."principals"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "service"."usage_days" ADD CONSTRAINT "usage_days_principal_id_principals_id_fk" FOREIGN KEY ("principal_id") REFERENCES "service"."principals"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "service"."usage_totals" ADD CONSTRAINT "usage_totals_principal_id_principals_id_fk" FOREIGN KEY ("principal_id") REFERENCES "service"."principals"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "service"."quarantined_records" ADD CONSTRAINT "quarantined_records_record_id_records_id_fk" FOREIGN KEY ("record_id") REFERENCES "service"."records"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "service"."records" ADD CONSTRAINT "records_principal_id_principals_id_fk" FOREIGN KEY ("principal_id") REFERENCES "service"."principals"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "service"."records" ADD CONSTRAINT "records_deploy_transaction_id_transactions_id_fk" FOREIGN KEY ("deploy_transaction_id") REFERENCES "service"."transactions"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "service"."mails" ADD CONSTRAINT "mails_firing_id_rule_firings_id_fk" FOREIGN KEY ("firing_id") REFERENCES "service"."rule_firings"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "service"."rule_firings" ADD CONSTRAINT "rule_firings_record_id_records_id_fk" FOREIGN KEY ("record_id") REFERENCES "service"."records"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "service"."rule_schedules" ADD CONSTRAINT "rule_schedules_record_id_records_id_fk" FOREIGN KEY ("record_id") REFERENCES "service"."records"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "service"."signing_link_uses" ADD CONSTRAINT "signing_link_uses_link_id_signing_links_id_fk" FOREIGN KEY ("link_id") REFERENCES "service"."signing_links"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "service"."signing_links" ADD CONSTRAINT "signing_links_principal_id_principals_id_fk" FOREIGN KEY ("principal_id") REFERENCES "service"."principals"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "service"."signing_links" ADD CONSTRAINT "signing_links_record_id_records_id_fk" FOREIGN KEY ("record_id") REFERENCES "service"."records"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "service"."signing_links" ADD CONSTRAINT "signing_links_created_by_api_key_id_api_keys_id_fk" FOREIGN KEY ("created_by_api_key_id") REFERENCES "service"."api_keys"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "service"."transaction_attempts" ADD CONSTRAINT "transaction_attempts_transaction_id_transactions_id_fk" FOREIGN KEY ("transaction_id") REFERENCES "service"."transactions"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "service"."record_wallets" ADD CONSTRAINT "record_wallets_record_id_records_id_fk" FOREIGN KEY ("record_id") REFERENCES "service"."records"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "service"."deliveries" ADD CONSTRAINT "deliveries_subscription_id_webhook_subscriptions_id_fk" FOREIGN KEY ("subscription_id") REFERENCES "service"."webhook_subscriptions"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "service"."deliveries" ADD CONSTRAINT "deliveries_event_id_events_id_fk" FOREIGN KEY ("event_id") REFERENCES "service"."events"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "service"."deliveries" ADD CONSTRAINT "deliveries_record_id_records_id_fk" FOREIGN KEY ("record_id") REFERENCES "service"."records"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "service"."delivery_attempts" ADD CONSTRAINT "delivery_attempts_delivery_id_deliveries_id_fk" FOREIGN KEY ("delivery_id") REFERENCES "service"."deliveries"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "service"."delivery_seats" ADD CONSTRAINT "delivery_seats_subscription_id_webhook_subscriptions_id_fk" FOREIGN KEY ("subscription_id") REFERENCES "service"."webhook_subscriptions"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "service"."webhook_subscriptions" ADD CONSTRAINT "webhook_subscriptions_principal_id_principals_id_fk" FOREIGN KEY ("principal_id") REFERENCES "service"."principals"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "service"."webhook_subscriptions" ADD CONSTRAINT "webhook_subscriptions_created_by_api_key_id_api_keys_id_fk" FOREIGN KEY ("created_by_api_key_id") REFERENCES "service"."api_keys"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE UNIQUE INDEX "api_keys_key_hash_index" ON "service"."api_keys" USING btree ("key_hash");--> statement-breakpoint
CREATE INDEX "api_keys_principal_id_index" ON "service"."api_keys" USING btree ("principal_id");--> statement-breakpoint
CREATE UNIQUE INDEX "principals_name_index" ON "service"."principals" USING btree ("name");--> statement-breakpoint
CREATE UNIQUE INDEX "portal_links_secret_hash_index" ON "service"."portal_links" USING btree ("secret_hash");--> statement-breakpoint
CREATE INDEX "portal_links_principal_id_created_at_id_index" ON "service"."portal_links" USING btree ("principal_id","created_at","id");--> statement-breakpoint
CREATE INDEX "portal_links_expires_at_index" ON "service"."portal_links" USING btree ("expires_at");--> statement-breakpoint
CREATE UNIQUE INDEX "sessions_token_hash_index" ON "service"."sessions" USING btree ("token_hash");--> statement-breakpoint
CREATE INDEX "sessions_principal_id_created_at_id_index" ON "service"."sessions" USING btree ("principal_id","created_at","id");--> statement-breakpoint
CREATE INDEX "sessions_expires_at_index" ON "service"."sessions" USING btree ("expires_at");--> statement-breakpoint
CREATE INDEX "event_parts_used_at_index" ON "service"."event_parts" USING btree ("used_at");--> statement-breakpoint
CREATE UNIQUE INDEX "events_feed" ON "service"."events" USING btree ("principal_id","position");--> statement-breakpoint
CREATE INDEX "events_pending" ON "service"."events" USING btree ("chain_id","block_number") WHERE state = 'pending';--> statement-breakpoint
CREATE INDEX "events_chain_id_block_number_index" ON "service"."events" USING btree ("chain_id","block_number");--> statement-breakpoint
CREATE INDEX "events_record_id_index" ON "service"."events" USING btree ("record_id");--> statement-breakpoint
CREATE INDEX "events_created_at_index" ON "service"."events" USING btree ("created_at");--> statement-breakpoint
CREATE INDEX "events_notification" ON "service"."events" USING btree ("notification_part_id") WHERE notification_part_id is not null;--> statement-breakpoint
CREATE INDEX "events_variables" ON "service"."events" USING btree ("variables_part_id") WHERE variables_part_id is not null;--> statement-breakpoint
CREATE INDEX "evidence_proofs_used" ON "service"."evidence_proofs" USING btree ("used_at");--> statement-breakpoint
CREATE INDEX "idempotency_keys_expires_at_index" ON "service"."idempotency_keys" USING btree ("expires_at");--> statement-breakpoint
CREATE INDEX "inputs_created" ON "service"."inputs" USING btree (record_id collate "C","created_at",(coalesce("position", 2147483647)),"id");--> statement-breakpoint
CREATE INDEX "inputs_updated" ON "service"."inputs" USING btree (record_id collate "POSIX","updated_at",(coalesce("position", 2147483647)),"id");--> statement-breakpoint
CREATE INDEX "inputs_status_created" ON "service"."inputs" USING btree ((record_id || ' ' || status || ' ' || coalesce(user_id, '')) collate "C","created_at",(coalesce("position", 2147483647)),"id");--> statement-breakpoint
CREATE INDEX "inputs_status_updated" ON "service"."inputs" USING btree ((record_id || ' ' || status || ' ' || coalesce(user_id, '')) collate "POSIX","updated_at",(coalesce("position", 2147483647)),"id");--> statement-breakpoint
CREATE INDEX "inputs_named_created" ON "service"."inputs" USING btree ((record_id || ' ' || status || ' ' || coalesce(user_id, '') || ' ' || left(input_id, 64)) collate "C","created_at",(coalesce("position", 2147483647)),"id");--> statement-breakpoint
CREATE INDEX "inputs_named_updated" ON "service"."inputs" USING btree ((record_id || ' ' || status || ' ' || coalesce(user_id, '') || ' ' || left(input_id, 64)) collate "POSIX","updated_at",(coalesce("position", 2147483647)),"id");--> statement-breakpoint
CREATE INDEX "inputs_transaction_id_index" ON "service"."inputs" USING btree ("transaction_id");--> statement-breakpoint
CREATE INDEX "inputs_chain_id_block_number_index" ON "service"."inputs" USING btree ("chain_id","block_number");--> statement-breakpoint
CREATE INDEX "inputs_pending" ON "service"."inputs" USING btree ("chain_id") WHERE status = 'PENDING';--> statement-breakpoint
CREATE INDEX "usage_days_day_index" ON "service"."usage_days" USING btree ("day");--> statement-breakpoint
CREATE INDEX "quarantined_records_chain_id_retry_at_index" ON "service"."quarantined_records" USING btree ("chain_id","retry_at");--> statement-breakpoint
CREATE INDEX "records_contract" ON "service"."records" USING btree ("chain_id",lower("address"));--> statement-breakpoint
CREATE INDEX "records_deployed_in" ON "service"."records" USING btree ("chain_id","deploy_block_number");--> statement-breakpoint
CREATE INDEX "records_awaited" ON "service"."records" USING btree ("chain_id") WHERE status = 'Draft' and error is null and not awaits_owner;--> statement-breakpoint
CREATE INDEX "records_behind" ON "service"."records" USING btree ("chain_id") WHERE behind;--> statement-breakpoint
CREATE INDEX "records_deploy_transaction_id_index" ON "service"."records" USING btree ("deploy_transaction_id");--> statement-breakpoint
CREATE INDEX "records_created" ON "service"."records" USING btree (principal_id collate "C","created_at","id");--> statement-breakpoint
CREATE INDEX "records_updated" ON "service"."records" USING btree (principal_id collate "POSIX","updated_at","id");--> statement-breakpoint
CREATE INDEX "records_named" ON "service"."records" USING btree (principal_id collate "ucs_basic",lower(display_name collate "C"),"id");--> statement-breakpoint
CREATE INDEX "records_chain_created" ON "service"."records" USING btree ((principal_id || ' ' || chain_id::text) collate "C","created_at","id");--> statement-breakpoint
CREATE INDEX "records_chain_updated" ON "service"."records" USING btree ((principal_id || ' ' || chain_id::text) collate "POSIX","updated_at","id");--> statement-breakpoint
CREATE INDEX "records_chain_named" ON "service"."records" USING btree ((principal_id || ' ' || chain_id::text) collate "ucs_basic",lower(display_name collate "C"),"id");--> statement-breakpoint
CREATE INDEX "records_state_created" ON "service"."records" USING btree ((principal_id || ' ' || chain_id::text || ' ' || left(state, 64)) collate "C","created_at","id");--> statement-breakpoint
CREATE INDEX "records_state_updated" ON "service"."records" USING btree ((principal_id || ' ' || chain_id::text || ' ' || left(state, 64)) collate "POSIX","updated_at","id");--> statement-breakpoint
CREATE INDEX "records_state_named" ON "service"."records" USING btree ((principal_id || ' ' || chain_id::text || ' ' || left(state, 64)) collate "ucs_basic",lower(display_name collate "C"),"id");--> statement-breakpoint
CREATE INDEX "mails_created_at_index" ON "service"."mails" USING btree ("created_at");--> statement-breakpoint
CREATE INDEX "rule_firings_record_id_rule_id_recipient_index" ON "service"."rule_firings" USING btree ("record_id","rule_id","recipient");--> statement-breakpoint
CREATE INDEX "rule_firings_pending" ON "service"."rule_firings" USING btree ("chain_id","block_number") WHERE state = 'pending';--> statement-breakpoint
CREATE INDEX "rule_firings_chain_id_block_number_index" ON "service"."rule_firings" USING btree ("chain_id","block_number");--> statement-breakpoint
CREATE INDEX "rule_schedules_due" ON "service"."rule_schedules" USING btree ("chain_id","due_ms") WHERE due_ms is not null;--> statement-breakpoint
CREATE INDEX "rule_schedules_open" ON "service"."rule_schedules" USING btree ("record_id") WHERE until_ms is null;--> statement-breakpoint
CREATE INDEX "rule_schedules_chain_id_since_block_index" ON "service"."rule_schedules" USING btree ("chain_id","since_block");--> statement-breakpoint
CREATE INDEX "rule_schedules_chain_id_until_block_index" ON "service"."rule_schedules" USING btree ("chain_id","until_block");--> statement-breakpoint
CREATE INDEX "signing_link_uses_link_id_id_index" ON "service"."signing_link_uses" USING btree ("link_id","id");--> statement-breakpoint
CREATE UNIQUE INDEX "signing_links_secret_hash_index" ON "service"."signing_links" USING btree ("secret_hash");--> statement-breakpoint
CREATE INDEX "signing_links_record_id_created_at_id_index" ON "service"."signing_links" USING btree ("record_id","created_at","id");--> statement-breakpoint
CREATE INDEX "signing_links_expires_at_index" ON "service"."signing_links" USING btree ("expires_at");--> statement-breakpoint
CREATE INDEX "transaction_attempts_newest" ON "service"."transaction_attempts" USING btree ("transaction_id","id");--> statement-breakpoint
CREATE INDEX "transaction_attempts_chain_id_wallet_wallet_nonce_index" ON "service"."transaction_attempts" USING btree ("chain_id","wallet","wallet_nonce");--> statement-breakpoint
CREATE UNIQUE INDEX "transactions_open_permit" ON "service"."transactions" USING btree ("chain_id",lower("contract"),lower("signer"),"permit_nonce") WHERE state <> 'failed';--> statement-breakpoint
CREATE INDEX "transactions_open" ON "service"."transactions" USING btree ("chain_id","deadline") WHERE state in ('accepted', 'signed', 'broadcast');--> statement-breakpoint
CREATE INDEX "transactions_of_principal" ON "service"."transactions" USING btree ("principal_id","chain_id","created_at","id") WHERE state in ('accepted', 'signed', 'broadcast');--> statement-breakpoint
CREATE INDEX "transactions_waiting" ON "service"."transactions" USING btree ("chain_id",(coalesce(principal_id, '')),"created_at","id") WHERE state = 'accepted';--> statement-breakpoint
CREATE INDEX "transactions_in_order" ON "service"."transactions" USING btree ((state || ' ' || chain_id::text || ' ' || contract || case when kind = 'input' then '' else ' ' || signer end),"created_at","id") WHERE state in ('accepted', 'signed', 'broadcast', 'mined');--> statement-breakpoint
CREATE INDEX "transactions_under_way" ON "service"."transactions" USING btree ("chain_id","wallet","wallet_nonce") WHERE state in ('signed', 'broadcast');--> statement-breakpoint
CREATE INDEX "transactions_mined" ON "service"."transactions" USING btree ("chain_id","mined_block_number") WHERE mined_block_number is not null;--> statement-breakpoint
CREATE INDEX "transactions_not_final" ON "service"."transactions" USING btree ("chain_id","mined_block_number") WHERE state = 'mined';--> statement-breakpoint
CREATE INDEX "transactions_failed" ON "service"."transactions" USING btree ("chain_id",lower("contract"),lower("signer"),"permit_nonce") WHERE state = 'failed';--> statement-breakpoint
CREATE INDEX "transactions_call" ON "service"."transactions" USING hash ("call_data");--> statement-breakpoint
CREATE INDEX "transactions_hash" ON "service"."transactions" USING hash ("tx_hash");--> statement-breakpoint
CREATE INDEX "record_wallets_newest" ON "service"."record_wallets" USING btree ("wallet","created_at","record_id");--> statement-breakpoint
CREATE INDEX "wallet_challenges_expires_at_index" ON "service"."wallet_challenges" USING btree ("expires_at");--> statement-breakpoint
CREATE UNIQUE INDEX "wallet_sessions_token_hash_index" ON "service"."wallet_sessions" USING btree ("token_hash");--> statement-breakpoint
CREATE INDEX "wallet_sessions_expires_at_index" ON "service"."wallet_sessions" USING btree ("expires_at");--> statement-breakpoint
CREATE INDEX "deliveries_listed" ON "service"."deliveries" USING btree (subscription_id collate "C","status","created_at","id");--> statement-breakpoint
CREATE INDEX "deliveries_first" ON "service"."deliveries" USING btree ("subscription_id","position") WHERE status = 'pending';--> statement-breakpoint
CREATE INDEX "deliveries_due" ON "service"."deliveries" USING btree ("subscription_id","next_attempt_at") WHERE status = 'retry_pending';--> statement-breakpoint
CREATE INDEX "deliveries_event_id_index" ON "service"."deliveries" USING btree ("event_id");--> statement-breakpoint
CREATE INDEX "delivery_attempts_delivery_id_number_index" ON "service"."delivery_attempts" USING btree ("delivery_id","number");--> statement-breakpoint
CREATE INDEX "webhook_subscriptions_principal_id_created_at_id_index" ON "service"."webhook_subscriptions" USING btree ("principal_id","created_at","id");--> statement-breakpoint
CREATE INDEX "webhook_subscriptions_active" ON "service"."webhook_subscriptions" USING btree ("principal_id") WHERE status = 'active';