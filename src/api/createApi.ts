import type { ClientProfile } from '../platform/config/clientProfile.ts';
import type { Environment } from '../protocol/index.ts';
import type { WebhookServices } from '../records/webhooks/webhookServices.ts';
import type { AdmissionServices } from './admission/createAdmission.ts';
import { awaitConsistency } from './agreements/awaitConsistency.ts';
import type { Cookies } from './authentication/cookies.ts';
import type { FailedAttempts } from './authentication/failedAttempts.ts';
import type { PageRenderer } from './documents/pageRenderer.ts';
import type { EvidenceServices } from './evidence/respondEvidence.ts';
import { createGuestAuthenticator } from './guests/guestAuthenticator.ts';
import { createWalletAuthenticator } from './guests/walletAuthenticator.ts';
import { type App, type AppParts, createApp, type PublicRoute } from './http/createApp.ts';
import { createLargeTurns } from './limiting/largeTurns.ts';
import { createPageTurns } from './limiting/pageTurns.ts';
import { createWalletTurns } from './limiting/walletTurns.ts';
import { buildAgentSurface } from './mcp/agentSurface.ts';
import { buildHostedSurface } from './mcp/hosted/hostedSurface.ts';
import { createMcpRoute } from './mcp/mcpRoute.ts';
import type { ToolOutcome } from './mcp/runTool.ts';
import { type ApiDocument, describeApi } from './openapi/describeApi.ts';
import { describeWebhooks } from './openapi/describeWebhooks.ts';
import { createWebhook } from './routes/createWebhook.ts';
import { endCurrentSession } from './routes/deleteCurrentSession.ts';
import { withdrawDraft } from './routes/deleteDraft.ts';
import { revokePortalLink } from './routes/deletePortalLink.ts';
import { revokeSession } from './routes/deleteSession.ts';
import { revokeSigningLink } from './routes/deleteSigningLink.ts';
import { endWalletSessionEndpoint } from './routes/deleteWalletSession.ts';
import { deployTypedDataEndpoint } from './routes/deployTypedData.ts';
import { deployWithPermit } from './routes/deployWithPermit.ts';
import { disableWebhook } from './routes/disableWebhook.ts';
import { docsRoute } from './routes/docs.ts';
import { evidenceSchemaRoute } from './routes/evidenceSchema.ts';
import { getAgreement } from './routes/getAgreement.ts';
import { getAgreements } from './routes/getAgreements.ts';
import { getCurrentSession } from './routes/getCurrentSession.ts';
import { getDocument } from './routes/getDocument.ts';
import { getEventStream } from './routes/getEventStream.ts';
import { listEventsEndpoint } from './routes/getEvents.ts';
import { getEvidence } from './routes/getEvidence.ts';
import { getInputs } from './routes/getInputs.ts';
import { getPortalLinks } from './routes/getPortalLinks.ts';
import { getSessions } from './routes/getSessions.ts';
import { getSharedAgreement } from './routes/getSharedAgreement.ts';
import { getSharedDocument } from './routes/getSharedDocument.ts';
import { getSharedEvidence } from './routes/getSharedEvidence.ts';
import { getSharedInputs } from './routes/getSharedInputs.ts';
import { getSharedState } from './routes/getSharedState.ts';
import { getSigningLinks } from './routes/getSigningLinks.ts';
import { getState } from './routes/getState.ts';
import { getWalletAgreements } from './routes/getWalletAgreements.ts';
import { getWalletSession } from './routes/getWalletSession.ts';
import { getWebhook } from './routes/getWebhook.ts';
import { getWebhookDeliveries } from './routes/getWebhookDeliveries.ts';
import { getWebhooks } from './routes/getWebhooks.ts';
import { healthRoute } from './routes/health.ts';
import { inputTypedDataEndpoint } from './routes/inputTypedData.ts';
import { openApiRoute } from './routes/openApi.ts';
import { updateAgreement } from './routes/patchAgreement.ts';
import { createDraft } from './routes/postDraft.ts';
import { importAgreementEndpoint } from './routes/postImport.ts';
import { submitInputEndpoint } from './routes/postInput.ts';
import { previewNotificationsEndpoint } from './routes/postNotificationPreview.ts';
import { createPortalLink } from './routes/postPortalLink.ts';
import { previewPortalLink } from './routes/postPortalLinkPreview.ts';
import { simulateRecordEndpoint } from './routes/postRecordSimulation.ts';
import { createSession } from './routes/postSession.ts';
import { deployShared } from './routes/postSharedDeployment.ts';
import { makeSharedDeployTypedData } from './routes/postSharedDeployTypedData.ts';
import { submitSharedInput } from './routes/postSharedInput.ts';
import { makeSharedInputTypedData } from './routes/postSharedInputTypedData.ts';
import { createSigningLink } from './routes/postSigningLink.ts';
import { simulateAgreementEndpoint } from './routes/postSimulation.ts';
import { createWalletChallenge } from './routes/postWalletChallenge.ts';
import { createWalletSession } from './routes/postWalletSession.ts';
import { recoverWebhook } from './routes/recoverWebhook.ts';
import { redeliverWebhook } from './routes/redeliverWebhook.ts';
import { rotateWebhookSecret } from './routes/rotateWebhookSecret.ts';
import { testWebhook } from './routes/testWebhook.ts';
import { updateWebhook } from './routes/updateWebhook.ts';
import { validateDeployment } from './routes/validateDeployment.ts';
import { validateTemplate } from './routes/validateTemplate.ts';
import type { EventStreams } from './streams/eventStreams.ts';

type ApiSettings = Omit<
  AppParts,
  | 'limits'
  | 'chains'
  | 'largeTurns'
  | 'pageTurns'
  | 'walletTurns'
  | 'awaitConsistency'
  | 'endpoints'
  | 'publicRoutes'
  | 'foreignRoutes'
> & {
  readonly pages: PageRenderer;
  readonly streams: EventStreams;
  readonly evidence: EvidenceServices;
  readonly cookies: Cookies;
  readonly clientProfile: ClientProfile;
  readonly failedAttempts: FailedAttempts;
  readonly environment: Environment;
  readonly corsOrigins: readonly string[];
  readonly onToolCall?: ((outcome: ToolOutcome) => void) | undefined;
};

/** All routes of the service with their dependencies. Add a new route here. */
export function createApi(
  services: WebhookServices & AdmissionServices,
  { environment, pages, streams, evidence, cookies, corsOrigins, onToolCall, ...parts }: ApiSettings,
): App {
  const { clientProfile, authenticator, failedAttempts } = parts;
  const wallets = createWalletAuthenticator({ ...services, cookies, failedAttempts });
  const guests = createGuestAuthenticator({ pool: services.pool, failedAttempts, wallets });
  const guestServices = { ...services, guests, wallets, cookies, failedAttempts };
  const sessionServices = { ...services, authenticator, cookies, failedAttempts };
  const endpoints = [
    validateTemplate(services),
    validateDeployment(services, clientProfile),
    simulateAgreementEndpoint(services),
    deployTypedDataEndpoint(services),
    deployWithPermit(services),
    createDraft(services),
    withdrawDraft(services),
    importAgreementEndpoint(services),
    inputTypedDataEndpoint(services),
    submitInputEndpoint(services),
    simulateRecordEndpoint(services),
    previewNotificationsEndpoint(services),
    getAgreements(services, clientProfile),
    getAgreement(services),
    getState(services),
    getInputs(services, clientProfile),
    getDocument(services, pages),
    getEvidence(evidence),
    createWebhook(services),
    getWebhooks(services),
    getWebhook(services),
    updateWebhook(services),
    testWebhook(services),
    getWebhookDeliveries(services),
    redeliverWebhook(services),
    recoverWebhook(services),
    rotateWebhookSecret(services),
    disableWebhook(services),
    listEventsEndpoint(services),
    getEventStream(services, { authenticator, streams }),
    updateAgreement(services),
    createSigningLink(services),
    getSigningLinks(services),
    revokeSigningLink(services),
    getSharedAgreement(guestServices),
    getSharedDocument(guestServices, pages),
    getSharedState(guestServices),
    getSharedInputs(guestServices),
    getSharedEvidence(guestServices, evidence),
    makeSharedInputTypedData(guestServices),
    submitSharedInput(guestServices),
    makeSharedDeployTypedData(guestServices),
    deployShared(guestServices),
    createSession(sessionServices),
    getCurrentSession(services),
    endCurrentSession(sessionServices),
    getSessions(services),
    revokeSession(services),
    createPortalLink(services),
    previewPortalLink(sessionServices),
    getPortalLinks(services),
    revokePortalLink(services),
    createWalletChallenge(guestServices),
    createWalletSession(guestServices),
    getWalletSession(guestServices),
    endWalletSessionEndpoint(guestServices),
    getWalletAgreements(guestServices),
  ];
  let document: ApiDocument | undefined;
  const readDocument = () => {
    document ??= describeApi({
      ...services,
      ...parts,
      endpoints,
      publicRoutes,
      webhooks: describeWebhooks(clientProfile),
    });
    return document;
  };
  const publicRoutes: PublicRoute[] = [
    healthRoute(services.pool),
    openApiRoute(readDocument),
    docsRoute(readDocument),
    evidenceSchemaRoute(),
  ];
  const serving = {
    ...parts,
    largeTurns: createLargeTurns(),
    // Reads may wait for a replica, which would count as the time of the database.
    pageTurns: createPageTurns(
      services.reads.isFromReplica ? {} : { askDatabase: () => services.pool.query('select') },
    ),
    walletTurns: createWalletTurns(),
    limits: services.limits,
    chains: services.chains,
    async awaitConsistency(token: { consistency: string; principalId: string }) {
      await awaitConsistency(token, services);
      return services.reads.mark();
    },
  };
  const agents = { ...serving, endpoints, publicBaseUrl: services.publicBaseUrl, corsOrigins };
  const surfaceParts = { ...services, logger: parts.logger, onOutcome: onToolCall };
  const [firstChain] = services.chains;
  const installation = {
    environment,
    firstChain: firstChain?.chainId ?? 0,
    publicBaseUrl: services.publicBaseUrl,
  };
  const foreignRoutes = [
    createMcpRoute('/mcp', buildAgentSurface(surfaceParts), agents),
    createMcpRoute('/mcp/compat', buildHostedSurface(surfaceParts, installation), agents),
  ];
  return createApp({ ...serving, publicRoutes, foreignRoutes, endpoints });
}
