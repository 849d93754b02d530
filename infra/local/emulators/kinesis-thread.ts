import { parentPort, workerData } from 'node:worker_threads';
import kinesalite from 'kinesalite';
import { listenLocally } from '../common/listen.ts';
import { reportWrites } from './writes.ts';

// The thread that runs the stand-in of Kinesis. It has its own thread because a response of GetRecords takes
// milliseconds to serialize, and would delay the responses of DynamoDB. Its first message is its port. Each later
// message reports writes.

const withoutDelays = { createStreamMs: 0, updateStreamMs: 0, deleteStreamMs: 0 };
const kinesis = kinesalite({ path: workerData as string, ...withoutDelays });
const port = await listenLocally(reportWrites(kinesis, () => parentPort?.postMessage('written')));

// Add these listeners only after the start, so that an error during the start reaches the process. After the start, a
// bug must not end the stand-in or damage its state.
process.on('uncaughtException', (error) => console.error(error));
process.on('unhandledRejection', (error) => console.error(error));
parentPort?.postMessage(port);
