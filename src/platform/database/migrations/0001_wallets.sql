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
DROP INDEX "service"."records_awaited";--> statement-breakpoint
ALTER TABLE "service"."records" ADD COLUMN "awaits_owner" boolean DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE "service"."records" ADD COLUMN "participant_access" text DEFAULT 'none' NOT NULL;--> statement-breakpoint
ALTER TABLE "service"."records" ADD COLUMN "access_variables" json;--> statement-breakpoint
ALTER TABLE "service"."record_wallets" ADD CONSTRAINT "record_wallets_record_id_records_id_fk" FOREIGN KEY ("record_id") REFERENCES "service"."records"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "record_wallets_newest" ON "service"."record_wallets" USING btree ("wallet","created_at","record_id");--> statement-breakpoint
CREATE INDEX "wallet_challenges_expires_at_index" ON "service"."wallet_challenges" USING btree ("expires_at");--> statement-breakpoint
CREATE UNIQUE INDEX "wallet_sessions_token_hash_index" ON "service"."wallet_sessions" USING btree ("token_hash");--> statement-breakpoint
CREATE INDEX "wallet_sessions_expires_at_index" ON "service"."wallet_sessions" USING btree ("expires_at");--> statement-breakpoint
CREATE INDEX "records_awaited" ON "service"."records" USING btree ("chain_id") WHERE status = 'Draft' and error is null and not awaits_owner;