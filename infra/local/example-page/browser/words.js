/** Formats a wait in milliseconds as a text such as "in 40 seconds". */
export function inWords(ms) {
  const seconds = Math.max(1, Math.ceil(ms / 1_000));
  if (seconds < 90) return `in ${counted(seconds, 'second')}`;
  const minutes = Math.ceil(seconds / 60);
  return minutes < 90 ? `in ${counted(minutes, 'minute')}` : `in ${counted(Math.ceil(minutes / 60), 'hour')}`;
}

const counted = (count, unit) => `${count} ${unit}${count === 1 ? '' : 's'}`;

/** Formats a size in bytes as a text such as "2.4 MB". */
export function sizeInWords(bytes) {
  if (bytes < 1_000) return counted(bytes, 'byte');
  return bytes < 1_000_000 ? `${Math.round(bytes / 1_000)} KB` : `${(bytes / 1_000_000).toFixed(1)} MB`;
}

/** Calls `tick` every second with the remaining seconds, at last with 0. @returns a function that stops the calls */
export function countDown(untilMs, tick) {
  let timer;
  const step = () => {
    const left = Math.max(0, Math.ceil((untilMs - Date.now()) / 1_000));
    tick(left);
    if (left > 0) timer = setTimeout(step, 1_000);
  };
  step();
  return () => clearTimeout(timer);
}
