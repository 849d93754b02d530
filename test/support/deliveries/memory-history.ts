import type { Delivery, DeliveryKey } from '../../../shared/deliveries/delivery.ts';
import type { DeliveryHistory } from '../../../shared/deliveries/ports.ts';

const positionOf = ({ firstAttemptAt, messageId }: Omit<DeliveryKey, 'endpointId'>) => `${firstAttemptAt}#${messageId}`;

/** The history of deliveries, in memory. Its items do not expire. */
export function createMemoryHistory() {
  const stored = new Map<string, Delivery>();
  const nameOf = (key: DeliveryKey) => `${key.endpointId} ${positionOf(key)}`;
  const of = (endpointId: string) =>
    [...stored.values()]
      .filter((delivery) => delivery.endpointId === endpointId)
      .sort((one, other) => (positionOf(one) < positionOf(other) ? -1 : 1));
  const page = (found: Delivery[], limit: number) => {
    const deliveries = structuredClone(found.slice(0, limit));
    const last = deliveries.at(-1);
    return { deliveries, next: found.length > limit && last !== undefined ? positionOf(last) : undefined };
  };
  const history: DeliveryHistory = {
    record: async (delivery, attempt) => {
      const attempts = (stored.get(nameOf(delivery))?.attempts ?? []).filter(({ number }) => number !== attempt.number);
      const all = [...attempts, attempt].sort((one, other) => one.number - other.number);
      stored.set(nameOf(delivery), { ...structuredClone(delivery), attempts: all });
    },
    fail: async (key) => {
      const delivery = stored.get(nameOf(key));
      if (delivery?.status === 'pending') stored.set(nameOf(key), { ...delivery, status: 'failed' });
    },
    list: async (endpointId, { before, limit }) =>
      page(
        of(endpointId)
          .reverse()
          .filter((one) => before === undefined || positionOf(one) < before),
        limit,
      ),
    listSince: async (endpointId, { after, until, limit }) =>
      page(
        of(endpointId).filter((one) => positionOf(one) > after && positionOf(one) < until),
        limit,
      ),
    find: async (endpointId, messageId) => of(endpointId).findLast((one) => one.messageId === messageId),
  };
  return { history, stored };
}
