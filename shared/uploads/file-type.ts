/** The kinds of files that the service accepts. A kind is the extension in the storage path. */
export type FileKind =
  | 'png'
  | 'jpg'
  | 'webp'
  | 'gif'
  | 'heic'
  | 'pdf'
  | 'doc'
  | 'docx'
  | 'xls'
  | 'xlsx'
  | 'ppt'
  | 'pptx'
  | 'txt'
  | 'csv'
  | 'mp3'
  | 'm4a'
  | 'wav'
  | 'mp4'
  | 'mov'
  | 'webm';

type KindNames = {
  /** Records of uploads contain only the first of these media types. */
  mimeTypes: readonly [string, ...string[]];
  otherExtensions?: readonly string[];
};

const OPEN_XML = 'application/vnd.openxmlformats-officedocument';

/**
 * The kinds that an upload block accepts by default: formats of cameras, phones and office programs. A block can accept
 * fewer kinds, but no others. SVG, HTML, XML, scripts and executables are not accepted, because browsers or other
 * programs could run them (ADR 0007).
 */
const KINDS: Record<FileKind, KindNames> = {
  png: { mimeTypes: ['image/png'] },
  jpg: { mimeTypes: ['image/jpeg', 'image/jpg', 'image/pjpeg'], otherExtensions: ['jpeg', 'jpe', 'jfif'] },
  webp: { mimeTypes: ['image/webp'] },
  gif: { mimeTypes: ['image/gif'] },
  heic: { mimeTypes: ['image/heic', 'image/heif'], otherExtensions: ['heif', 'hif'] },
  pdf: { mimeTypes: ['application/pdf', 'application/x-pdf'] },
  doc: { mimeTypes: ['application/msword'] },
  docx: { mimeTypes: [`${OPEN_XML}.wordprocessingml.document`] },
  xls: { mimeTypes: ['application/vnd.ms-excel'] },
  xlsx: { mimeTypes: [`${OPEN_XML}.spreadsheetml.sheet`] },
  ppt: { mimeTypes: ['application/vnd.ms-powerpoint'] },
  pptx: { mimeTypes: [`${OPEN_XML}.presentationml.presentation`] },
  txt: { mimeTypes: ['text/plain'], otherExtensions: ['text', 'log'] },
  csv: { mimeTypes: ['text/csv', 'application/csv'] },
  mp3: { mimeTypes: ['audio/mpeg', 'audio/mp3'] },
  m4a: { mimeTypes: ['audio/mp4', 'audio/x-m4a', 'audio/m4a'] },
  wav: { mimeTypes: ['audio/wav', 'audio/x-wav', 'audio/wave', 'audio/vnd.wave'] },
  mp4: { mimeTypes: ['video/mp4'], otherExtensions: ['m4v'] },
  mov: { mimeTypes: ['video/quicktime'], otherExtensions: ['qt'] },
  webm: { mimeTypes: ['video/webm', 'audio/webm'], otherExtensions: ['weba'] },
};

const ALL = Object.keys(KINDS) as FileKind[];

export const mimeTypeOf = (kind: FileKind): string => KINDS[kind].mimeTypes[0];

/**
 * Returns the kind for the extension of a name, `none` for a name without an extension, and undefined for an extension
 * that is not accepted.
 */
export function kindOfName(name: string): FileKind | 'none' | undefined {
  const extension = /\.([^.\s]+)$/.exec(name)?.[1]?.toLowerCase();
  if (extension === undefined) return 'none';
  return ALL.find((kind) => kind === extension || KINDS[kind].otherExtensions?.includes(extension));
}

/**
 * Returns the kind for a media type, or undefined if the media type is not accepted. Ignores parameters of the media
 * type.
 */
export function kindOfMimeType(mimeType: string): FileKind | undefined {
  const bare = withoutParameters(mimeType);
  return ALL.find((kind) => KINDS[kind].mimeTypes.includes(bare));
}

/**
 * Whether a block accepts a kind.
 *
 * @param accepted media types of the block, or ranges such as `image/*`; undefined: all that the service accepts
 */
export function isAccepted(kind: FileKind, accepted: readonly string[] | undefined): boolean {
  const { mimeTypes } = KINDS[kind];
  return (
    accepted?.some((type) => {
      const bare = withoutParameters(type);
      const [family, rest] = bare.split('/');
      if (rest !== '*') return mimeTypes.includes(bare);
      return family === '*' || mimeTypes.some((mimeType) => mimeType.startsWith(`${family}/`));
    }) ?? true
  );
}

/** Whether a media type or range of a block matches at least one kind that the service accepts. */
export const acceptsSomething = (type: string): boolean => ALL.some((kind) => isAccepted(kind, [type]));

const withoutParameters = (mimeType: string): string => (mimeType.split(';')[0] ?? '').trim().toLowerCase();
