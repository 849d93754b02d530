import { sizeInWords } from './words.js';

/**
 * Draws the photo field. Its parts are the elements with `data-photo` below the root.
 *
 * @returns a function that draws a state {file, share, words, again}. `share` is 0 to 1 during an upload, `words` says
 *   why the upload failed.
 */
export function photoView(root) {
  const part = (name) => root.querySelector(`[data-photo="${name}"]`);
  const preview = previewIn(part('thumb'));
  return ({ file, share, words, again }) => {
    const uploaded = share === undefined && words === undefined;
    part('choice').hidden = Boolean(file);
    part('card').hidden = !file;
    part('fault').hidden = !words;
    if (part('fault').textContent !== (words ?? '')) part('fault').textContent = words ?? '';
    preview(file);
    if (!file) return;
    part('card').dataset.state = uploaded ? 'uploaded' : words ? 'failed' : 'sending';
    part('name').textContent = file.name;
    part('meta').textContent = metaOf(file, share, uploaded);
    part('bar').value = Math.round((share ?? 0) * 100);
    part('bar').hidden = share === undefined;
    part('cancel').hidden = uploaded;
    part('cancel').textContent = words ? 'Discard' : 'Cancel';
    part('again').hidden = !again;
    part('replace').hidden = share !== undefined || Boolean(again);
    part('remove').hidden = !uploaded;
  };
}

function metaOf({ size }, share, uploaded) {
  if (uploaded) return `${sizeInWords(size)}, uploaded`;
  if (share === undefined) return sizeInWords(size);
  // With a share of 1, all bytes are sent and the service is inspecting them.
  return share === 1 ? 'Checking the file …' : `${Math.round(share * 100)} % of ${sizeInWords(size)}`;
}

/** Shows a preview. Images that the browser cannot show (usually HEIC) keep the placeholder. */
function previewIn(thumb) {
  let shown;
  thumb.addEventListener('load', () => {
    thumb.hidden = false;
  });
  return (file) => {
    if (shown === file) return;
    shown = file;
    if (thumb.src) URL.revokeObjectURL(thumb.src);
    thumb.removeAttribute('src');
    thumb.hidden = true;
    if (file instanceof File && file.type.startsWith('image/')) thumb.src = URL.createObjectURL(file);
  };
}
