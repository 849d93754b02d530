/** What the service takes, by the extension that it stores a file under. */
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

type Names = {
  /** The first one is what records say. */
  mimeTypes: readonly [string, ...string[]];
  /** Further extensions of the same kind. */
  alsoNamed?: readonly string[];
};

const OPEN_XML = 'application/vnd.openxmlformats-officedocument';

/** The default allow-list of decisions 6; a block can only narrow it. */
const KINDS: Record<FileKind, Names> = {
  png: { mimeTypes: ['image/png'] },
  jpg: { mimeTypes: ['image/jpeg', 'image/jpg', 'image/pjpeg'], alsoNamed: ['jpeg', 'jpe', 'jfif'] },
  webp: { mimeTypes: ['image/webp'] },
  gif: { mimeTypes: ['image/gif'] },
  heic: { mimeTypes: ['image/heic', 'image/heif'], alsoNamed: ['heif', 'hif'] },
  pdf: { mimeTypes: ['application/pdf', 'application/x-pdf'] },
  doc: { mimeTypes: ['application/msword'] },
  docx: { mimeTypes: [`${OPEN_XML}.wordprocessingml.document`] },
  xls: { mimeTypes: ['application/vnd.ms-excel'] },
  xlsx: { mimeTypes: [`${OPEN_XML}.spreadsheetml.sheet`] },
  ppt: { mimeTypes: ['application/vnd.ms-powerpoint'] },
  pptx: { mimeTypes: [`${OPEN_XML}.presentationml.presentation`] },
  txt: { mimeTypes: ['text/plain'], alsoNamed: ['text', 'log'] },
  csv: { mimeTypes: ['text/csv', 'application/csv'] },
  mp3: { mimeTypes: ['audio/mpeg', 'audio/mp3'] },
  m4a: { mimeTypes: ['audio/mp4', 'audio/x-m4a', 'audio/m4a'] },
  wav: { mimeTypes: ['audio/wav', 'audio/x-wav', 'audio/wave', 'audio/vnd.wave'] },
  mp4: { mimeTypes: ['video/mp4'], alsoNamed: ['m4v'] },
  mov: { mimeTypes: ['video/quicktime'], alsoNamed: ['qt'] },
  webm: { mimeTypes: ['video/webm', 'audio/webm'], alsoNamed: ['weba'] },
};

const ALL = Object.keys(KINDS) as FileKind[];

export const mimeTypeOf = (kind: FileKind): string => KINDS[kind].mimeTypes[0];

/** The kind that a name's extension says; `none` without an extension, undefined for one that is not taken. */
export function kindOfName(name: string): FileKind | 'none' | undefined {
  const extension = /\.([^.\s]+)$/.exec(name)?.[1]?.toLowerCase();
  if (extension === undefined) return 'none';
  return ALL.find((kind) => kind === extension || KINDS[kind].alsoNamed?.includes(extension));
}

/** The kind that a media type means, whatever its parameters. */
export function kindOfMimeType(mimeType: string): FileKind | undefined {
  const bare = bareType(mimeType);
  return ALL.find((kind) => KINDS[kind].mimeTypes.includes(bare));
}

/** @param accepted media types of a block, also `image/*`; undefined: all that the service takes */
export function isAccepted(kind: FileKind, accepted: readonly string[] | undefined): boolean {
  const { mimeTypes } = KINDS[kind];
  return (
    accepted?.some((type) => {
      const bare = bareType(type);
      const [family, rest] = bare.split('/');
      if (rest !== '*') return mimeTypes.includes(bare);
      return family === '*' || mimeTypes.some((mimeType) => mimeType.startsWith(`${family}/`));
    }) ?? true
  );
}

/** Whether a block that accepts this media type accepts anything. */
export const acceptsSomething = (type: string): boolean => ALL.some((kind) => isAccepted(kind, [type]));

const bareType = (mimeType: string): string => (mimeType.split(';')[0] ?? '').trim().toLowerCase();
