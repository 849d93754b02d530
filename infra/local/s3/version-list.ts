import type S3rver from 's3rver';

type Middleware = S3rver['middleware'][number];

const NONE =
  '<ListVersionsResult xmlns="http://s3.amazonaws.com/doc/2006-03-01/"><IsTruncated>false</IsTruncated></ListVersionsResult>';

/** A list of an object's versions, as S3 answers it for what has none: s3rver keeps none, and refuses the question. */
export const emptyVersionList: Middleware = async (context, next) => {
  const { searchParams } = new URL(context.req.url ?? '', 'http://store');
  if (context.method !== 'GET' || !searchParams.has('versions')) return next();
  context.status = 200;
  context.type = 'application/xml';
  context.body = NONE;
};
