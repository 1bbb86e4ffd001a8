// A button beside each text that is to be pasted elsewhere. Browsers let pages copy at safe addresses alone; elsewhere
// the text is selected by hand.

if (navigator.clipboard) for (const place of document.querySelectorAll('[data-paste]')) prepare(place);

function prepare(place) {
  const button = document.createElement('button');
  button.type = 'button';
  button.className = 'quiet';
  button.textContent = 'Copy';
  const said = document.createElement('span');
  said.setAttribute('role', 'status');
  button.addEventListener('click', async () => {
    try {
      await navigator.clipboard.writeText(place.querySelector('pre').textContent);
      said.textContent = 'Copied';
    } catch {
      said.textContent = 'The browser did not allow it: select the text instead.';
    }
    setTimeout(() => (said.textContent = ''), 4000);
  });
  place.append(button, said);
}
