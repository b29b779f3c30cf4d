import type { components, operations } from './openapi.ts';

type Schemas = components['schemas'];

export type AgreementRecord = Schemas['AgreementRecord'];
export type AgreementSummary = Schemas['AgreementSummary'];
export type AgreementState = Schemas['AgreementState'];
export type InputRecord = Schemas['InputRecord'];
export type Participant = Schemas['Participant'];
export type Preflight = Schemas['Preflight'];
export type TemplateReport = Schemas['TemplateReport'];
export type SignableTypedData = Schemas['SignableTypedData'];
export type SignableDeployment = Schemas['SignableDeployment'];
export type Signature = Schemas['Signature'];
export type HostedDocument = Schemas['HostedDocument'];
export type NotificationPreview = Schemas['NotificationPreview'];
export type Webhook = Schemas['Webhook'];
export type WebhookWithSecret = Schemas['WebhookWithSecret'];
export type WebhookFilters = Schemas['WebhookFilters'];
export type WebhookTest = Schemas['WebhookTest'];
export type WebhookDelivery = Schemas['WebhookDelivery'];
export type WebhookRecovery = Schemas['WebhookRecovery'];
export type AgreementEvent = Schemas['Event'];
export type SigningLink = Schemas['SigningLink'];
export type SharedInput = Schemas['SharedInput'];
export type SharedAgreement = Schemas['SharedAgreement'];
export type WalletAgreement = Schemas['WalletAgreement'];
export type Session = Schemas['Session'];
export type PortalLink = Schemas['PortalLink'];
export type Health = Schemas['Health'];

/** Operations of the service, without its requests to webhook receivers. */
export type OperationId = Exclude<keyof operations, `receive${string}`>;

/** The body of an operation. */
export type BodyOf<Id extends OperationId> = operations[Id] extends {
  requestBody?: { content: { 'application/json': infer Body } };
}
  ? Body
  : never;

/** The answer of an operation, in its envelope. */
export type AnswerOf<Id extends OperationId> = operations[Id] extends {
  responses: { 200: { content: { 'application/json': infer Answer } } };
}
  ? Answer
  : never;

/** A range of time, as ISO 8601 moments with a zone, or as dates. */
export type DateFilter = {
  readonly gt?: string | Date | undefined;
  readonly gte?: string | Date | undefined;
  readonly lt?: string | Date | undefined;
  readonly lte?: string | Date | undefined;
};

/** One field to sort by. */
export type Sort<Field extends string> = { readonly [Name in Field]?: 'asc' | 'desc' | undefined };

export type PageQuery = {
  /** Items of one page, 1 to 100; 25 by default. */
  readonly limit?: number | undefined;
  /** The `nextCursor` of an earlier page, to begin after it. */
  readonly cursor?: string | undefined;
};
