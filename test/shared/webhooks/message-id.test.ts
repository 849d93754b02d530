import fc from 'fast-check';
import { expect, test } from 'vitest';
import { isMessageId, messageIdOf } from '../../../shared/webhooks/message-id.ts';

test('a message id with any UUID is recognized', () => {
  fc.assert(fc.property(fc.uuid(), (uuid) => isMessageId(messageIdOf(uuid))));
});

test.each(['', 'msg_', 'msg_2KWPBgLlAfxdpx2AI54pPJ85f4W', '0199c2a4-7d1e-7b3c-9a55-3f2e1d0c4b6a'])(
  '%j is not recognized as a message id',
  (id) => expect(isMessageId(id)).toBe(false),
);
