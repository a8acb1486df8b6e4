/**
 * A button that was pressed often goes away: Generate becomes Cancel, Cancel becomes Download. The focus would fall
 * to the top of the page. `note` is called before a render and `restore` after it: if the control that had the focus
 * is gone, the focus goes to the element that `insteadOf` names. A focus elsewhere on the page is left alone.
 *
 * Controls have a `data-control` that is unique in their component.
 */
export function focusKeeper(root, insteadOf) {
  let held;
  return {
    note() {
      held = root.activeElement?.dataset?.control;
    },
    restore() {
      const control = held;
      held = undefined;
      if (control === undefined) return;
      const controls = [...root.querySelectorAll('[data-control]')];
      if (controls.some((element) => element.dataset.control === control)) return;
      insteadOf(control)?.focus();
    },
  };
}
