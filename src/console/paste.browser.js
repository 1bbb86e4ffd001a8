// Adds a copy button to each text that people paste elsewhere. Browsers provide the clipboard only in secure contexts;
// otherwise people select the text.

if (navigator.clipboard) for (const place of document.querySelectorAll('[data-paste]')) prepare(place);

function prepare(place) {
  const button = document.createElement('button');
  button.type = 'button';
  button.className = 'quiet';
  button.textContent = 'Copy';
  const status = document.createElement('span');
  status.setAttribute('role', 'status');
  button.addEventListener('click', async () => {
    try {
      await navigator.clipboard.writeText(place.querySelector('pre').textContent);
      status.textContent = 'Copied';
    } catch {
      status.textContent = 'The browser did not allow copying. Select and copy the text instead.';
    }
    setTimeout(() => (status.textContent = ''), 4000);
  });
  place.append(button, status);
}
