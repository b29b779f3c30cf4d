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
CREATE UNLOGGED TABLE "service"."rate_buckets" (
	"principal_id" text NOT NULL,
	"kind" text NOT NULL,
	"tokens" double precision NOT NULL,
	"granted" integer NOT NULL,
	"updated_at" timestamp with time zone NOT NULL,
	CONSTRAINT "rate_buckets_principal_id_kind_pk" PRIMARY KEY("principal_id","kind")
) WITH (fillfactor = 50);
--> statement-breakpoint
ALTER TABLE "service"."idempotency_keys" ADD CONSTRAINT "idempotency_keys_principal_id_principals_id_fk" FOREIGN KEY ("principal_id") REFERENCES "service"."principals"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "idempotency_keys_expires_at_index" ON "service"."idempotency_keys" USING btree ("expires_at");