ALTER TABLE "service"."projections" ADD COLUMN "compared_deployment" text;--> statement-breakpoint
ALTER TABLE "service"."projections" ADD COLUMN "compared_through" bigint;--> statement-breakpoint
ALTER TABLE "service"."projections" ADD COLUMN "folded_through" bigint;