/** A client of Node's inspector protocol that can debug the worker threads of a process. */
export type InspectorClient = {
  /** Sends a command to a thread. @returns the result */
  send(session: string, method: string, params?: object): Promise<Record<string, unknown>>;
  /** Adds a listener, which is called for each event of a worker thread. */
  onEvent(listener: (session: string, method: string, params: Record<string, unknown>) => void): void;
  close(): void;
};

type Message = { id?: number; method?: string; params?: Record<string, unknown>; result?: Record<string, unknown> };

/** Connects to the debugger port of a process. Adding the first listener attaches the client to all workers. */
export async function connectInspector(port: number): Promise<InspectorClient> {
  const [target] = (await (await fetch(`http://127.0.0.1:${port}/json/list`)).json()) as {
    webSocketDebuggerUrl: string;
  }[];
  const socket = new WebSocket(target?.webSocketDebuggerUrl ?? '');
  await new Promise((resolve, reject) => {
    socket.onopen = resolve;
    socket.onerror = reject;
  });
  const results = new Map<number, (result: Record<string, unknown>) => void>();
  const listeners: Parameters<InspectorClient['onEvent']>[0][] = [];
  let count = 0;
  const send: InspectorClient['send'] = (sessionId, method, params = {}) => {
    count += 1;
    const id = count;
    const message = JSON.stringify({ id, method, params });
    // The command to the thread is sent as a parameter of a command to the process.
    socket.send(JSON.stringify({ id: -id, method: 'NodeWorker.sendMessageToWorker', params: { sessionId, message } }));
    return new Promise((resolve) => results.set(id, resolve));
  };
  socket.onmessage = ({ data }) => {
    const { method, params } = JSON.parse(String(data)) as Message;
    if (method !== 'NodeWorker.receivedMessageFromWorker' || params === undefined) {
      if (method === 'NodeWorker.attachedToWorker')
        for (const listener of listeners) listener(String(params?.sessionId), method, params ?? {});
      return;
    }
    const message = JSON.parse(String(params.message)) as Message;
    if (message.id !== undefined) results.get(message.id)?.(message.result ?? {});
    else
      for (const listener of listeners) listener(String(params.sessionId), message.method ?? '', message.params ?? {});
  };
  return {
    send,
    onEvent: (listener) => {
      listeners.push(listener);
      if (listeners.length > 1) return;
      socket.send(
        JSON.stringify({ id: -1_000_000, method: 'NodeWorker.enable', params: { waitForDebuggerOnStart: false } }),
      );
    },
    close: () => socket.close(),
  };
}
