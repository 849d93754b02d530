import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll } from 'vitest';
import { startMailbox } from '../../../infra/local/mailbox/server.ts';
import type { toStoreJson } from '../../../infra/local/mailbox/store.ts';
import { SMS_SENDER } from '../../../infra/local/runtime/environment.ts';

type Store = ReturnType<typeof toStoreJson>;

/** Starts a mailbox for the tests of a file, and sets the environment so that the adapters send to the mailbox. */
export function useMailbox() {
  let folder: string;
  let mailbox: Awaited<ReturnType<typeof startMailbox>>;
  const origin = () => `http://127.0.0.1:${mailbox.port}`;
  const start = async () => {
    mailbox = await startMailbox('127.0.0.1', folder);
    Object.assign(process.env, {
      AWS_REGION: 'eu-central-1',
      AWS_ACCESS_KEY_ID: 'test',
      AWS_SECRET_ACCESS_KEY: 'test',
      AWS_ENDPOINT_URL_SESV2: origin(),
      AWS_ENDPOINT_URL_PINPOINT_SMS_VOICE_V2: origin(),
      MAIL_FROM: 'codes@tributary.example',
      SMS_SENDER,
    });
  };
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'tributary-mailbox-'));
    await start();
  });
  afterAll(async () => {
    mailbox.close();
    await rm(folder, { recursive: true });
  });
  return {
    origin,
    file: () => join(folder, 'messages.jsonl'),
    store: async (query = ''): Promise<Store> => (await fetch(`${origin()}/store${query}`)).json() as Promise<Store>,
    restart: async () => {
      mailbox.close();
      await start();
    },
  };
}
