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

/**
 * Applies the choice of the visitor. A stored grant is applied after each load of the page, because the page client
 * does not store grants. The page decides how long a grant is valid.
 */
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
      // The choice is not stored, so the banner is shown again after the next load of the page.
    }
    apply(choice);
  });
}
document.getElementById('privacy').addEventListener('click', () => {
  banner.hidden = false;
  banner.querySelector('button').focus();
});

// The page client runs the functions in this list as soon as it has loaded.
window.tributary ??= [];
window.tributary.push((funnel) => funnel.track('view'));
apply(readChoice());
