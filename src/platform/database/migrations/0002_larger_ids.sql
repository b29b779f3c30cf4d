ALTER TABLE "service"."signing_link_uses" ALTER COLUMN "id" SET DATA TYPE bigint;--> statement-breakpoint
ALTER TABLE "service"."transaction_attempts" ALTER COLUMN "id" SET DATA TYPE bigint;--> statement-breakpoint
ALTER TABLE "service"."delivery_attempts" ALTER COLUMN "id" SET DATA TYPE bigint;--> statement-breakpoint
ALTER SEQUENCE "service"."signing_link_uses_id_seq" AS bigint;--> statement-breakpoint
ALTER SEQUENCE "service"."transaction_attempts_id_seq" AS bigint;--> statement-breakpoint
ALTER SEQUENCE "service"."delivery_attempts_id_seq" AS bigint;
