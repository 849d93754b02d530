/** A small consent banner. A page with a consent platform uses `adoptConsent` instead. */
const banner = document.getElementById('consent');
const KEY = 'consent';

const readChoice = () => {
  try {
    return localStorage.getItem(KEY);
  } catch {
    return null;
  }
};

/** The page client keeps a denial, but no grant, because only the page knows how long a grant holds. */
function apply(choice) {
  banner.hidden = choice !== null;
  window.tributary.push(({ consent }) => {
    if (choice === 'granted') consent.grant();
    if (choice === 'denied') consent.deny();
  });
}

for (const button of banner.querySelectorAll('[data-choice]')) {
  button.addEventListener('click', () => {
    const { choice } = button.dataset;
    try {
      localStorage.setItem(KEY, choice);
    } catch {
      // The banner asks again on the next visit.
    }
    apply(choice);
  });
}
document.getElementById('privacy').addEventListener('click', () => {
  banner.hidden = false;
  banner.querySelector('button').focus();
});

// Calls that are made before the page client is loaded wait for it.
window.tributary ??= [];
window.tributary.push((funnel) => funnel.track('view'));
apply(readChoice());
