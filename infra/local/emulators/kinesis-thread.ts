import { parentPort, workerData } from 'node:worker_threads';
import kinesalite from 'kinesalite';
import { listenLocally } from '../common/listen.ts';
import { reportWrites } from './writes.ts';

// Runs the stand-in of Kinesis in its own thread. In the main thread, it would delay the responses of DynamoDB, because
// it takes milliseconds to serialize a response of GetRecords. The first message to the main thread is the port. Each
// later message reports one or more writes.

const withoutDelays = { createStreamMs: 0, updateStreamMs: 0, deleteStreamMs: 0 };
const kinesis = kinesalite({ path: workerData as string, ...withoutDelays });
const port = await listenLocally(reportWrites(kinesis, () => parentPort?.postMessage('written')));

// Add these listeners only after the start, so that an error during the start makes `startKinesis` of the main thread
// fail. After the start, an error must not end the stand-in or damage its state.
process.on('uncaughtException', (error) => console.error(error));
process.on('unhandledRejection', (error) => console.error(error));
parentPort?.postMessage(port);
