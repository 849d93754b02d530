/*
 * Ids of the examples in the API description. They are the ids of the demo data that `npm start` creates, so that an
 * example works with the local service without changes.
 */

export const ORGANIZATION_ID = '6a3f42ee-e1dd-5bd4-82f4-71b813da2ce1';
export const OTHER_ORGANIZATION_ID = 'b3c92828-2316-5661-873f-9eae8c368d0b';
export const FUNNEL_ID = '772c7894-4dc7-502f-9d4d-d66db417f43a';
export const UPLOAD_BLOCK_ID = 'df11b03f-3230-5dc7-9249-395607fbca73';
export const CASE_ID = '58a0aaea-0679-5368-ba0d-72e489915116';
export const PERSONA_ID = '36213710-7a7d-5e0e-97ea-111da6e67fb4';
export const CALL_ID = '019bf000-0000-77cd-96c8-82ccae8a16e0';
export const PAGE_ID = '03363496-47e0-55ba-9a48-abe11beaca5e';
export const DOMAIN_ID = 'adde0a60-69a2-5a9c-a43d-9283426ae3f3';
export const NOTIFICATION_ADDRESS_ID = '760bf8a2-f426-54a4-b564-9e7aeeb109f1';
export const WEBHOOK_ENDPOINT_ID = '019bf000-0000-76db-abca-e5f76e9f1b0d';
export const WEBHOOK_MESSAGE_ID = 'msg_2be1d682-5f83-5dd1-b609-4dce892e6015';

/** The demo has no lead with these values, because the service generates the id and the token of each new lead. */
export const LEAD_ID = '5d0c7f1e-93a4-4c0b-8a57-2f6f3f0f9b11';
export const UPDATE_TOKEN = 'Vb0m9wq3xJ2Kc7Zt5sYp1RfLh8NdGa4uEo6iTkWyXzQ';
