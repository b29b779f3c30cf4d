import { awaitConsistency } from '../agreements/awaitConsistency.ts';
import type { ClientProfile } from '../config/clientProfile.ts';
import type { PageRenderer } from '../documents/pageRenderer.ts';
import type { WebhookServices } from '../webhooks/webhookServices.ts';
import { type App, type AppParts, createApp, type PublicRoute } from './createApp.ts';
import { type ApiDocument, describeApi } from './describeApi.ts';
import { describeWebhooks } from './describeWebhooks.ts';
import { createWebhook } from './routes/createWebhook.ts';
import { deployTypedDataEndpoint } from './routes/deployTypedData.ts';
import { deployWithPermit } from './routes/deployWithPermit.ts';
import { disableWebhook } from './routes/disableWebhook.ts';
import { docsRoute } from './routes/docs.ts';
import { getAgreement } from './routes/getAgreement.ts';
import { getAgreements } from './routes/getAgreements.ts';
import { getDocument } from './routes/getDocument.ts';
import { getInputs } from './routes/getInputs.ts';
import { getState } from './routes/getState.ts';
import { getWebhook } from './routes/getWebhook.ts';
import { getWebhookDeliveries } from './routes/getWebhookDeliveries.ts';
import { getWebhooks } from './routes/getWebhooks.ts';
import { healthRoute } from './routes/health.ts';
import { importAgreementEndpoint } from './routes/importAgreement.ts';
import { inputTypedDataEndpoint } from './routes/inputTypedData.ts';
import { listEventsEndpoint } from './routes/listEvents.ts';
import { openApiRoute } from './routes/openApi.ts';
import { previewNotificationsEndpoint } from './routes/previewNotifications.ts';
import { recoverWebhook } from './routes/recoverWebhook.ts';
import { redeliverWebhook } from './routes/redeliverWebhook.ts';
import { rotateWebhookSecret } from './routes/rotateWebhookSecret.ts';
import { submitInputEndpoint } from './routes/submitInput.ts';
import { testWebhook } from './routes/testWebhook.ts';
import { updateWebhook } from './routes/updateWebhook.ts';
import { validateDeployment } from './routes/validateDeployment.ts';
import { validateTemplate } from './routes/validateTemplate.ts';

type ApiSettings = Omit<AppParts, 'limits' | 'awaitConsistency' | 'endpoints' | 'publicRoutes'> & {
  readonly pages: PageRenderer;
  readonly clientProfile: ClientProfile;
};

/** All routes of the service over what they work with. A new route is added here. */
export function createApi(services: WebhookServices, { pages, ...parts }: ApiSettings): App {
  const endpoints = [
    validateTemplate(services),
    validateDeployment(services),
    deployTypedDataEndpoint(services),
    deployWithPermit(services),
    importAgreementEndpoint(services),
    inputTypedDataEndpoint(services),
    submitInputEndpoint(services),
    previewNotificationsEndpoint(services),
    getAgreements(services),
    getAgreement(services),
    getState(services),
    getInputs(services),
    getDocument(services, pages),
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
  ];
  let document: ApiDocument | undefined;
  const readDocument = () => {
    document ??= describeApi({
      ...services,
      ...parts,
      endpoints,
      publicRoutes,
      webhooks: describeWebhooks(parts.clientProfile),
    });
    return document;
  };
  const publicRoutes: PublicRoute[] = [
    healthRoute(services.pool),
    openApiRoute(readDocument),
    docsRoute(readDocument),
  ];
  return createApp({
    ...parts,
    limits: services.limits,
    async awaitConsistency(token) {
      await awaitConsistency(token, services);
      return services.reads.mark();
    },
    publicRoutes,
    endpoints,
  });
}
