/** The kinds of files that the service accepts, by the extension in their storage path. */
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
  /** Records contain the first one. */
  mimeTypes: readonly [string, ...string[]];
  otherExtensions?: readonly string[];
};

const OPEN_XML = 'application/vnd.openxmlformats-officedocument';

/**
 * The default allow-list, which a block can only narrow: formats of cameras, phones and offices. SVG, HTML, XML, scripts
 * and executables are not accepted, because readers or browsers could run them (ADR 0007).
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

/** The kind of a name's extension; `none` without an extension, undefined for one that is not accepted. */
export function kindOfName(name: string): FileKind | 'none' | undefined {
  const extension = /\.([^.\s]+)$/.exec(name)?.[1]?.toLowerCase();
  if (extension === undefined) return 'none';
  return ALL.find((kind) => kind === extension || KINDS[kind].otherExtensions?.includes(extension));
}

/** The kind of a media type; its parameters are ignored. */
export function kindOfMimeType(mimeType: string): FileKind | undefined {
  const bare = withoutParameters(mimeType);
  return ALL.find((kind) => KINDS[kind].mimeTypes.includes(bare));
}

/** @param accepted media types of a block, also `image/*`; undefined: all that the service accepts */
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

/** Whether any kind of file matches this media type of a block. */
export const acceptsSomething = (type: string): boolean => ALL.some((kind) => isAccepted(kind, [type]));

const withoutParameters = (mimeType: string): string => (mimeType.split(';')[0] ?? '').trim().toLowerCase();
