/**
 * Calls `onStep` with the path of the page, and again after each navigation within the document to another path. Query
 * and fragment are ignored, because they can identify a person.
 */
export function followSteps(onStep: (path: string) => void): void {
  let current: string | undefined;
  const checkPath = () => {
    if (location.pathname === current) return;
    current = location.pathname;
    onStep(current);
  };
  // Safari before version 26.2 and Firefox before version 147 have no Navigation API.
  const { navigation } = window as { navigation?: EventTarget };
  if (navigation) navigation.addEventListener('currententrychange', checkPath);
  else {
    addEventListener('popstate', checkPath);
    for (const method of ['pushState', 'replaceState'] as const) {
      const navigate = history[method];
      history[method] = function (...args) {
        navigate.apply(this, args);
        checkPath();
      };
    }
  }
  checkPath();
}
