CREATE TABLE "service"."delivery_seats" (
	"subscription_id" text PRIMARY KEY NOT NULL,
	"worker_id" text NOT NULL
);
--> statement-breakpoint
CREATE TABLE "service"."worker_leases" (
	"id" text PRIMARY KEY NOT NULL,
	"lease_until" timestamp with time zone NOT NULL
);
--> statement-breakpoint
ALTER TABLE "service"."deliveries" ALTER COLUMN "attempt_limit" DROP NOT NULL;--> statement-breakpoint
ALTER TABLE "service"."delivery_seats" ADD CONSTRAINT "delivery_seats_subscription_id_webhook_subscriptions_id_fk" FOREIGN KEY ("subscription_id") REFERENCES "service"."webhook_subscriptions"("id") ON DELETE no action ON UPDATE no action;