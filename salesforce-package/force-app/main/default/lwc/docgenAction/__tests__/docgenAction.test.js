const { setStage, settle } = require('../../docgenTexts/__tests__/stage.cjs');

setStage();
const { createElement } = require('lwc');
const DocgenAction = require('c/docgenAction').default;

const RECORD = '006000000000001AAA';

afterEach(() => document.body.replaceChildren());

it('holds the button without its own frame, and hands it the record that comes late', async () => {
  const action = createElement('c-docgen-action', { is: DocgenAction });
  document.body.appendChild(action);
  Object.assign(action, { recordId: RECORD, objectApiName: 'Opportunity' });
  await settle();
  expect(action.shadowRoot.querySelector('lightning-quick-action-panel').header).toBe('Documents');
  expect(action.shadowRoot.querySelector('c-docgen-button')).toMatchObject({
    bare: true,
    recordId: RECORD,
    objectApiName: 'Opportunity',
  });
});

it('closes', () => {
  const action = createElement('c-docgen-action', { is: DocgenAction });
  document.body.appendChild(action);
  const closed = jest.fn();
  action.addEventListener('closeactionscreen', closed);
  const close = action.shadowRoot.querySelector('lightning-button');
  expect(close.label).toBe('Close');
  close.click();
  expect(closed).toHaveBeenCalledTimes(1);
});
