import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { CloudFormationClient } from '@aws-sdk/client-cloudformation';
import { S3Client } from '@aws-sdk/client-s3';
import { STACKS, stackName } from '../../../infra/names.ts';

/** A version of an object, or a delete marker. */
type Version = { key: string; id: string; isMarker?: boolean };
type Resource = { id: string; type: string; name: string; status: string; reason?: string };

export type SimulatedStack = {
  id: string;
  name: string;
  status: string;
  reason?: string;
  tags: Record<string, string>;
  isProtected: boolean;
  createdAt: string;
  resources: Resource[];
  /** The next deletions fail, one for each of these reasons. */
  fails: string[];
  /** Whether a deletion never ends. */
  isStuck?: boolean;
};

type Reply = { status: number; body: string };

/** S3's maximum number of versions in a page of a listing, and of objects in a deletion. */
const BATCH_MAX = 1_000;
const NAMESPACE = 'http://cloudformation.amazonaws.com/doc/2010-05-15/';
const REQUEST = '<RequestId>00000000-0000-4000-8000-000000000000</RequestId>';

const escaped = (text: string) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
const unescaped = (text: string) => text.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&');
const tagged = (name: string, value: string | undefined) =>
  value === undefined ? '' : `<${name}>${escaped(value)}</${name}>`;

const EXAMPLE_TYPE = 'AWS::SQS::Queue';

/** Behaves like CloudFormation and S3, as far as `npm run stage` uses them. */
export class SimulatedAws {
  /** By stack id. Includes deleted stacks, which CloudFormation finds by their id. */
  readonly stacks = new Map<string, SimulatedStack>();
  /** By name, with the versions in the order of the listing. */
  readonly buckets = new Map<string, Version[]>();
  /** Each call as its action and its target. */
  readonly calls: string[] = [];
  /** Stacks that were deleted before a stack that depends on them. */
  readonly outOfOrder: string[] = [];
  /** IAM actions that are refused. */
  readonly refused = new Set<string>();
  /** The error code with which S3 refuses to delete each object. */
  objectError: string | undefined;
  /** After `afterCalls` calls, each call loses the connection. `hasEffect`: these calls still take effect. */
  interruption: { afterCalls: number; hasEffect: boolean } | undefined;
  pageSize = BATCH_MAX;
  #generation = 0;
  readonly #server = createServer((request, response) => void this.#serve(request, response));

  async start() {
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve));
    const endpoint = `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
    const credentials = { accessKeyId: 'test', secretAccessKey: 'test' };
    const options = { endpoint, region: 'eu-central-1', credentials, maxAttempts: 1 };
    return { endpoint, cloudFormation: new CloudFormationClient(options), s3: new S3Client(options) };
  }

  stop(): void {
    this.#server.close();
    this.#server.closeAllConnections();
  }

  reset(): void {
    this.stacks.clear();
    this.buckets.clear();
    this.calls.length = 0;
    this.outOfOrder.length = 0;
    this.refused.clear();
    this.objectError = undefined;
    this.interruption = undefined;
    this.pageSize = BATCH_MAX;
  }

  addStack(name: string, given: Partial<SimulatedStack> = {}, bucketNames: readonly string[] = []): SimulatedStack {
    this.#generation += 1;
    const stack = {
      id: `arn:aws:cloudformation:eu-central-1:111122223333:stack/${name}/${this.#generation}`,
      name,
      status: 'CREATE_COMPLETE',
      tags: {},
      isProtected: false,
      createdAt: '2026-01-01T00:00:00.000Z',
      resources: [
        { id: 'Queue', type: EXAMPLE_TYPE, name: `${name}-queue`, status: 'CREATE_COMPLETE' },
        ...bucketNames.map((bucket, at) => ({
          id: `Bucket${at}`,
          type: 'AWS::S3::Bucket',
          name: bucket,
          status: 'CREATE_COMPLETE',
        })),
      ],
      fails: [],
      ...given,
    };
    this.stacks.set(stack.id, stack);
    // Objects of a bucket that never had versioning have the version id `null`.
    for (const bucket of bucketNames) this.buckets.set(bucket, [{ key: 'a', id: 'null' }]);
    return stack;
  }

  /**
   * Adds the stacks of a stage: `lake` and `web` have one bucket each, `data` has a versioned and an unversioned
   * bucket.
   */
  addStage(stage: string, tags: Record<string, string> = { preview: stage, expires: '2026-01-08T00:00:00.000Z' }) {
    const buckets: Partial<Record<(typeof STACKS)[number], string[]>> = {
      data: [`${stage}-facts`, `${stage}-uploads`],
      lake: [`${stage}-results`],
      web: [`${stage}-client`],
    };
    for (const part of STACKS)
      this.addStack(stackName({ name: stage }, part), { tags: { ...tags } }, buckets[part] ?? []);
    this.buckets.set(`${stage}-facts`, [
      { key: 'a & <b>', id: 'v1', isMarker: true },
      { key: 'a & <b>', id: 'v2' },
      { key: 'c', id: 'v3' },
    ]);
  }

  #find(name: string): SimulatedStack | undefined {
    return [...this.stacks.values()].find((one) => one.name === name && one.status !== 'DELETE_COMPLETE');
  }

  /** The stack of this name that is not deleted. */
  stack(name: string): SimulatedStack {
    const found = this.#find(name);
    if (found === undefined) throw new Error(`There is no stack ${name}.`);
    return found;
  }

  /** Returns the stacks that are not deleted, and the buckets with their versions. */
  existing() {
    const stacks = [...this.stacks.values()].filter(({ status }) => status !== 'DELETE_COMPLETE');
    return structuredClone({ stacks, buckets: [...this.buckets] });
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const parts: Buffer[] = [];
    for await (const part of request) parts.push(part);
    const body = Buffer.concat(parts).toString();
    const url = new URL(request.url ?? '/', 'http://127.0.0.1');
    const isInterrupted = this.interruption !== undefined && this.calls.length >= this.interruption.afterCalls;
    if (isInterrupted && !this.interruption?.hasEffect) return void request.socket.destroy();
    const reply = url.pathname === '/' ? this.#cloudFormation(new URLSearchParams(body)) : this.#s3(url, body);
    if (isInterrupted) return void request.socket.destroy();
    response.writeHead(reply.status, { 'content-type': 'text/xml' }).end(reply.body);
  }

  #cloudFormation(form: URLSearchParams): Reply {
    const [action = '', name] = [form.get('Action') ?? '', form.get('StackName') ?? undefined];
    this.calls.push([action, name?.split('/')[1]].filter(Boolean).join(' '));
    if (this.refused.has(`cloudformation:${action}`))
      return this.#rejected(403, 'AccessDenied', `User: arn:aws:iam::111122223333:user/ci is not authorized`);
    const stack = name === undefined ? undefined : this.stacks.get(name);
    if (name !== undefined && stack === undefined)
      return this.#rejected(400, 'ValidationError', `Stack with id ${name} does not exist`);
    if (action === 'DescribeStacks') return this.#described(stack, Number(form.get('NextToken') ?? 0));
    if (stack === undefined) throw new Error(`SimulatedAws does not implement ${action} without a stack.`);
    if (action === 'ListStackResources') return this.#resources(stack, Number(form.get('NextToken') ?? 0));
    if (action === 'DeleteStack') return this.#deleteStack(stack);
    throw new Error(`SimulatedAws does not implement ${action}.`);
  }

  #described(one: SimulatedStack | undefined, from: number): Reply {
    const all = one ? [one] : [...this.stacks.values()].filter(({ status }) => status !== 'DELETE_COMPLETE');
    const page = all.slice(from, from + this.pageSize);
    const members = page.map(
      ({ id, name, status, reason, tags, isProtected, createdAt }) =>
        `<member>${tagged('StackId', id)}${tagged('StackName', name)}${tagged('StackStatus', status)}` +
        `${tagged('StackStatusReason', reason)}${tagged('CreationTime', createdAt)}` +
        `<EnableTerminationProtection>${isProtected}</EnableTerminationProtection><Tags>${Object.entries(tags)
          .map(([key, value]) => `<member>${tagged('Key', key)}${tagged('Value', value)}</member>`)
          .join('')}</Tags></member>`,
    );
    const next = from + this.pageSize < all.length ? String(from + this.pageSize) : undefined;
    const reply = this.#succeeded('DescribeStacks', `<Stacks>${members.join('')}</Stacks>${tagged('NextToken', next)}`);
    for (const stack of all) this.#proceed(stack);
    return reply;
  }

  #resources({ resources }: SimulatedStack, from: number): Reply {
    const members = resources
      .slice(from, from + this.pageSize)
      .map(
        ({ id, type, name, status, reason }) =>
          `<member>${tagged('LogicalResourceId', id)}${tagged('PhysicalResourceId', name)}` +
          `${tagged('ResourceType', type)}${tagged('ResourceStatus', status)}${tagged('ResourceStatusReason', reason)}</member>`,
      );
    const next = from + this.pageSize < resources.length ? String(from + this.pageSize) : undefined;
    return this.#succeeded(
      'ListStackResources',
      `<StackResourceSummaries>${members.join('')}</StackResourceSummaries>${tagged('NextToken', next)}`,
    );
  }

  #deleteStack(stack: SimulatedStack): Reply {
    if (stack.isProtected)
      return this.#rejected(
        400,
        'ValidationError',
        `Stack [${stack.name}] cannot be deleted while TerminationProtection is enabled`,
      );
    if (/^(?:UPDATE|ROLLBACK)\w*_IN_PROGRESS$/.test(stack.status))
      return this.#rejected(400, 'ValidationError', `Stack cannot be deleted while in status ${stack.status}`);
    if (stack.status !== 'DELETE_COMPLETE') stack.status = 'DELETE_IN_PROGRESS';
    return this.#succeeded('DeleteStack', '');
  }

  /** Completes or fails a deletion in progress. */
  #proceed(stack: SimulatedStack): void {
    if (stack.status !== 'DELETE_IN_PROGRESS' || stack.isStuck) return;
    const scripted = stack.fails.shift();
    const full = stack.resources.find(
      ({ type, name, status }) =>
        type === 'AWS::S3::Bucket' && status !== 'DELETE_COMPLETE' && (this.buckets.get(name) ?? []).length > 0,
    );
    const failed = scripted === undefined ? full : stack.resources[0];
    if (failed !== undefined) {
      const reason = scripted ?? `The bucket you tried to delete is not empty (bucket: ${failed.name})`;
      Object.assign(failed, { status: 'DELETE_FAILED', reason });
      stack.reason = `The following resource(s) failed to delete: [${failed.id}].`;
      stack.status = 'DELETE_FAILED';
      return;
    }
    for (const resource of stack.resources.filter(({ status }) => status !== 'DELETE_COMPLETE')) {
      resource.status = 'DELETE_COMPLETE';
      this.buckets.delete(resource.type === 'AWS::S3::Bucket' ? resource.name : '');
    }
    stack.status = 'DELETE_COMPLETE';
    const [part = '', ...words] = stack.name.split('-').reverse();
    const order: readonly string[] = STACKS;
    const later = order.slice(order.indexOf(part) + 1);
    const isLeft = later.some((one) => this.#find([...words.toReversed(), one].join('-')) !== undefined);
    if (isLeft) this.outOfOrder.push(stack.name);
  }

  #s3(url: URL, body: string): Reply {
    const bucket = url.pathname.slice(1).replace(/\/$/, '');
    const isDeletion = url.searchParams.has('delete');
    const action = isDeletion ? 's3:DeleteObject and s3:DeleteObjectVersion' : 's3:ListBucketVersions';
    this.calls.push(`${isDeletion ? 'DeleteObjects' : 'ListObjectVersions'} ${bucket}`);
    const versions = this.buckets.get(bucket);
    if (versions === undefined) return s3Error(404, 'NoSuchBucket', 'The specified bucket does not exist');
    const isRefused = this.refused.has(action);
    if (isDeletion) return this.#deleteObjects(versions, body, isRefused ? 'AccessDenied' : this.objectError);
    return isRefused ? s3Error(403, 'AccessDenied', 'Access Denied') : this.#versions(versions, url.searchParams);
  }

  #versions(versions: readonly Version[], parameters: URLSearchParams): Reply {
    const [key, id] = [parameters.get('key-marker'), parameters.get('version-id-marker')];
    // The version at the marker may be deleted, so the next page begins at the first version after the marker.
    const position = (one: { key: string | null; id: string | null }) => `${one.key}\u0000${one.id}`;
    const rest = key === null ? versions : versions.filter((one) => position(one) > position({ key, id }));
    const page = rest.slice(0, this.pageSize);
    const last = page.at(-1);
    const isTruncated = rest.length > page.length;
    const listed = page.map(
      (one) =>
        `<${one.isMarker ? 'DeleteMarker' : 'Version'}>${tagged('Key', one.key)}${tagged('VersionId', one.id)}` +
        `</${one.isMarker ? 'DeleteMarker' : 'Version'}>`,
    );
    const next = isTruncated ? tagged('NextKeyMarker', last?.key) + tagged('NextVersionIdMarker', last?.id) : '';
    return {
      status: 200,
      body: `<ListVersionsResult><IsTruncated>${isTruncated}</IsTruncated>${next}${listed.join('')}</ListVersionsResult>`,
    };
  }

  /** If `code` is set, the request succeeds, but S3 reports this error for each object. */
  #deleteObjects(versions: Version[], body: string, code: string | undefined): Reply {
    const objects = [...body.matchAll(/<Object>(.*?)<\/Object>/gs)].map(([, object = '']) => ({
      key: unescaped(/<Key>(.*?)<\/Key>/s.exec(object)?.[1] ?? ''),
      id: /<VersionId>(.*?)<\/VersionId>/s.exec(object)?.[1],
    }));
    if (objects.length > BATCH_MAX) return s3Error(400, 'MalformedXML', 'The XML you provided was not well-formed');
    if (code !== undefined) {
      const errors = objects.map(
        ({ key }) => `<Error>${tagged('Key', key)}<Code>${code}</Code><Message>The reason</Message></Error>`,
      );
      return { status: 200, body: `<DeleteResult>${errors.join('')}</DeleteResult>` };
    }
    for (const { key, id } of objects) {
      const at = versions.findIndex((one) => one.key === key && one.id === id);
      if (at >= 0) versions.splice(at, 1);
    }
    return { status: 200, body: '<DeleteResult></DeleteResult>' };
  }

  #succeeded(action: string, result: string): Reply {
    return {
      status: 200,
      body:
        `<${action}Response xmlns="${NAMESPACE}"><${action}Result>${result}</${action}Result>` +
        `<ResponseMetadata>${REQUEST}</ResponseMetadata></${action}Response>`,
    };
  }

  #rejected(status: number, code: string, message: string): Reply {
    const error = `<Error><Type>Sender</Type><Code>${code}</Code><Message>${message}</Message></Error>`;
    return { status, body: `<ErrorResponse xmlns="${NAMESPACE}">${error}${REQUEST}</ErrorResponse>` };
  }
}

const s3Error = (status: number, code: string, message: string): Reply => ({
  status,
  body: `<Error><Code>${code}</Code><Message>${message}</Message></Error>`,
});
