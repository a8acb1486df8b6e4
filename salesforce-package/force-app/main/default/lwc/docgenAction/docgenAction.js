import { LightningElement, api } from 'lwc';
import { CloseActionScreenEvent } from 'lightning/actions';
import { texts } from 'c/docgenTexts';

/**
 * The button in a quick action. A bundle of its own: `lightning/actions` and the panel are for Lightning Experience
 * only, and the button has to load in Experience sites too.
 */
export default class DocgenAction extends LightningElement {
  @api recordId;
  @api objectApiName;

  texts = texts;

  handleClose() {
    this.dispatchEvent(new CloseActionScreenEvent());
  }
}
